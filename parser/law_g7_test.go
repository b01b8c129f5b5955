package parser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

const tagged = `
-- a.go --
package a

type S struct{}
-- b.go --
//go:build   integration&&!windows

package a

import "context"

//idem:once key=id orphan=hold
func (S) B(ctx context.Context, id string) error { return nil }
`

// TestLaw_G7_Tags: the annotations of a tagged file exist with its tag alone, and
// the output carries the constraint.
func TestLaw_G7_Tags(t *testing.T) {
	p := one(t, tagged, "integration")
	if p.Constraint != "integration && !windows" {
		t.Errorf("constraint %q", p.Constraint)
	}
	res, diags := parse(t, module(t, tagged))
	if len(res.Packages) > 0 || len(diags) > 0 {
		t.Errorf("without the tag: %d packages, diagnostics:\n%s", len(res.Packages), diag.Text(diags, ""))
	}
}

// TestLaw_G7_FlagsOfTheEnvironment: GOFLAGS and GOOS mean what they mean to the
// go command.
func TestLaw_G7_FlagsOfTheEnvironment(t *testing.T) {
	dir := module(t, strings.ReplaceAll(tagged, "b.go", "b_plan9_arm.go"))
	env := append(os.Environ(), "GOFLAGS=-tags=integration", "GOOS=plan9", "GOARCH=arm", "CGO_ENABLED=0")
	res, diags := Parse(context.Background(), Config{Dir: dir, Env: env})
	if len(res.Packages) != 1 || len(diags) > 0 {
		t.Fatalf("%d packages, diagnostics:\n%s", len(res.Packages), diag.Text(diags, ""))
	}
	if got := res.Packages[0].Constraint; got != "integration && !windows && plan9 && arm" {
		t.Errorf("constraint %q", got)
	}
}

// TestLaw_G7_Vendor: imports come from the vendor folder.
func TestLaw_G7_Vendor(t *testing.T) {
	p := one(t, `
-- go.mod --
module example.com/m

go 1.26

require example.com/lib v1.2.3
-- a.go --
package a

import (
	"context"

	"example.com/lib/sub"
)

//idem:once key=req.ID orphan=hold
func A(ctx context.Context, req *lib.Req) error { return nil }
-- vendor/modules.txt --
# example.com/lib v1.2.3
## explicit; go 1.26
example.com/lib/sub
-- vendor/example.com/lib/sub/lib.go --
package lib

type Req struct{ ID string }
-- vendor/example.com/lib/sub/bad.go --
package lib

//idem:once key=id orphan=hold
func Bad(id string) error { return nil }
`)
	if got := code(p.Funcs[0].Params[1].Type); got != "*{example.com/lib/sub:lib}.Req" || len(p.Funcs) != 1 {
		t.Errorf("parameter %s, %d functions", got, len(p.Funcs))
	}
}

// TestLaw_G7_Workspace: a module of the workspace is imported from where it is.
func TestLaw_G7_Workspace(t *testing.T) {
	dir := module(t, `
-- go.work --
go 1.26

use (
	./app
	./lib
)
-- go.mod --
module example.com/unused
-- app/go.mod --
module example.com/app

go 1.26
-- app/a.go --
package a

import (
	"context"

	"example.com/lib"
)

//idem:once key=id orphan=hold
func A(ctx context.Context, id lib.ID) error { return nil }
-- lib/go.mod --
module example.com/lib

go 1.26
-- lib/lib.go --
package lib

type ID string
`)
	env := append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS=")
	res, diags := Parse(context.Background(), Config{Dir: filepath.Join(dir, "app"), Env: env})
	if len(diags) > 0 || len(res.Packages) != 1 || res.Packages[0].Module != "example.com/app" {
		t.Fatalf("%d packages, diagnostics:\n%s", len(res.Packages), diag.Text(diags, ""))
	}
}

// TestLaw_G7_LineEnds: CRLF changes neither the model nor the places of faults.
func TestLaw_G7_LineEnds(t *testing.T) {
	text := service + `
-- bad/bad.go --
package bad

import "context"

/*
A block comment.
*/

//idem:once key=ids orphan=hold
func A(ctx context.Context, id string) error { return nil }
`
	run := func(ends string) (string, string) {
		dir := module(t, text)
		for _, name := range []string{"orders/orders.go", "bad/bad.go"} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(src), "\n", ends)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		res, diags := parse(t, dir)
		var all string
		for _, p := range res.Packages {
			all += dump(p)
		}
		return all, diag.Text(diags, "")
	}
	model, diags := run("\n")
	crlfModel, crlfDiags := run("\r\n")
	if want := "bad/bad.go:9:17: IDEM204: undefined: ids\n\tdid you mean \"id\"?\n"; diags != want || crlfDiags != want {
		t.Errorf("diagnostics with LF:\n%swith CRLF:\n%swant\n%s", diags, crlfDiags, want)
	}
	if model != crlfModel || !strings.Contains(model, "fire Status.Pay") {
		t.Errorf("model with LF:\n%swith CRLF:\n%s", model, crlfModel)
	}
}

// TestLaw_G7_Cgo: a file that needs cgo is not compiled, and its output needs
// cgo as well.
func TestLaw_G7_Cgo(t *testing.T) {
	dir := module(t, `
-- a.go --
package a

// #include "nowhere.h"
import "C"

import "context"

type S struct{ handle C.gone_t }

//idem:once key=id orphan=hold
func (s *S) A(ctx context.Context, id string) error { return nil }

//idem:once key=id orphan=hold
func (s *S) B(ctx context.Context, id string, h *C.gone_t) error { return nil }

type Handle = C.gone_t

//idem:once key=id orphan=hold
func (s *S) D(ctx context.Context, id string, h *Handle) error { return nil }
`)
	res, diags := Parse(context.Background(), Config{Dir: dir, Env: append(os.Environ(), "CGO_ENABLED=1")})
	const want = "a.go:14:50: IDEM207: C.gone_t is a type of C, which only this file can name\n\tdeclare a Go type for it: type Handle = C.gone_t\n"
	if diag.Text(diags, "") != want || len(res.Packages) != 1 || res.Packages[0].Constraint != "cgo" {
		t.Fatalf("%+v, diagnostics:\n%s", res.Packages, diag.Text(diags, ""))
	}
}

// TestLaw_G7_NothingAnnotated: no go command is started, and one where there is
// something.
func TestLaw_G7_NothingAnnotated(t *testing.T) {
	execs := 0
	count := func(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, []byte, error) {
		execs++
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.Output()
		return out, nil, err
	}
	const text = `
-- a/a.go --
package a

// Package a has "//idem" only in strings and prose.
const x = "idem:once"
-- a/idem_gen.go --
` + model.Header + `

package a
-- b/b.go --
package b
`
	dir := module(t, text)
	res, diags := Parse(context.Background(), Config{Dir: dir, Patterns: []string{"./...", "./a", "../" + filepath.Base(dir) + "/b"}, Run: count})
	if execs != 0 || res.Execs != 0 || len(diags) > 0 || len(res.Packages) > 0 {
		t.Errorf("%d go commands, %d packages, diagnostics:\n%s", execs, len(res.Packages), diag.Text(diags, ""))
	}
	if len(res.Orphans) != 1 || len(res.Dirs) != 2 {
		t.Errorf("orphans %v, folders %v", res.Orphans, res.Dirs)
	}
	dir = module(t, text+`
-- c/c.go --
package c

import "context"

//idem:once key=id orphan=hold
func A(ctx context.Context, id string) error { return nil }
-- c/c_test.go --
package c

//idem:once key=id orphan=hold
func B(id string) error { return nil }
-- d/d.go --
package d

import (
	"context"

	"example.com/m/c"
)

//idem:once key=id orphan=hold
func D(ctx context.Context, id string) error { return c.A(ctx, id) }
`)
	res, diags = Parse(context.Background(), Config{Dir: dir, Patterns: []string{"./..."}, Run: count})
	if execs != 1 || res.Execs != 1 || len(diags) > 0 || len(res.Packages) != 3 {
		t.Errorf("%d go commands, %d packages, diagnostics:\n%s", execs, len(res.Packages), diag.Text(diags, ""))
	}
}

// TestLaw_G7_ImportPathPatterns: packages may be named by import path, too.
func TestLaw_G7_ImportPathPatterns(t *testing.T) {
	dir := module(t, service)
	res, diags := Parse(context.Background(), Config{Dir: dir, Patterns: []string{"example.com/m/..."}})
	if len(diags) > 0 || len(res.Packages) != 1 || len(res.Dirs) != 1 {
		t.Fatalf("%d packages, folders %v, diagnostics:\n%s", len(res.Packages), res.Dirs, diag.Text(diags, ""))
	}
}

// TestLaw_G7_PatternsThatNameNothing are diagnostics, not silence.
func TestLaw_G7_PatternsThatNameNothing(t *testing.T) {
	dir := module(t, service)
	for pattern, want := range map[string]string{
		"./oders":            "IDEM606: pattern ./oders: no such file or directory\n",
		"./orders/orders.go": "IDEM606: pattern ./orders/orders.go is a file\n\tname its folder instead\n",
		"example.com/gone":   "IDEM602: no required module provides package example.com/gone\n",
	} {
		_, diags := Parse(context.Background(), Config{Dir: dir, Patterns: []string{pattern}})
		if got := diag.Text(diags, ""); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
