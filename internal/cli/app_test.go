package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/golden"
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/templates"
)

// fixture is an app over packages a, b and c whose output exists, plus an orphan.
func fixture(t *testing.T) (a *app, stderr *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	result := &parser.Result{}
	for _, name := range []string{"a", "b", "c", "gone"} {
		file := filepath.Join(dir, name, "idem_gen.go")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(model.Header+"\n\npackage old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if name == "gone" {
			result.Orphans = append(result.Orphans, file)
			continue
		}
		result.Packages = append(result.Packages, &model.Package{Path: "example.com/" + name, Name: name, Dir: filepath.Dir(file), Output: "idem_gen.go"})
	}
	stderr = &bytes.Buffer{}
	return &app{
		cwd: dir, stdout: &bytes.Buffer{}, stderr: stderr,
		parse: func(context.Context, parser.Config) (*parser.Result, []diag.Diagnostic) { return result, nil },
		emit: func(p *model.Package) ([]model.File, error) {
			return []model.File{{Path: filepath.Join(p.Dir, p.Output), Content: []byte(model.Header + "\n\npackage " + p.Name + "\n")}}, nil
		},
	}, stderr
}

func tree(t *testing.T, a *app) golden.Tree {
	t.Helper()
	tr, err := golden.ReadTree(a.cwd)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestGenWritesAllPackagesAndRemovesTheOrphan(t *testing.T) {
	a, stderr := fixture(t)
	before := tree(t, a)
	if code := a.main(t.Context(), []string{"-v", "./..."}); code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	want := []string{"a/idem_gen.go", "b/idem_gen.go", "c/idem_gen.go", "gone/idem_gen.go"}
	if got := before.Changed(tree(t, a), false); !slices.Equal(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
	if n := strings.Count(stderr.String(), "idemgen: wrote "); n != 3 || !strings.Contains(stderr.String(), "idemgen: removed ") {
		t.Errorf("stderr: %s", stderr)
	}
}

func TestLaw_G6_AnEmitterThatFailsLeavesEveryFile(t *testing.T) {
	for name, broken := range map[string]func() ([]model.File, error){
		"error": func() ([]model.File, error) { return nil, errors.New("no name is free") },
		"panic": func() ([]model.File, error) { panic("no name is free") },
	} {
		t.Run(name, func(t *testing.T) {
			a, stderr := fixture(t)
			good := a.emit
			a.emit = func(p *model.Package) ([]model.File, error) {
				if p.Name == "b" {
					return broken()
				}
				return good(p)
			}
			before := tree(t, a)
			if code := a.main(t.Context(), []string{"./..."}); code != exitFailed {
				t.Errorf("exit %d", code)
			}
			if c := before.Changed(tree(t, a), true); len(c) > 0 {
				t.Errorf("touched %q", c)
			}
			if s := stderr.String(); !strings.Contains(s, "IDEM610: package example.com/b: ") || !strings.Contains(s, "no name is free") {
				t.Errorf("stderr: %s", s)
			}
		})
	}
}

func TestLaw_G6_DiagnosticsLeaveEveryFile(t *testing.T) {
	a, stderr := fixture(t)
	parse := a.parse
	a.parse = func(ctx context.Context, c parser.Config) (*parser.Result, []diag.Diagnostic) {
		r, _ := parse(ctx, c)
		return r, []diag.Diagnostic{diag.New(diag.CodeLoad, model.Pos{File: filepath.Join(a.cwd, "b", "b.go"), Line: 2, Col: 3}, "no such package")}
	}
	before := tree(t, a)
	if code := a.main(t.Context(), []string{"./..."}); code != exitStale {
		t.Errorf("exit %d", code)
	}
	if c := before.Changed(tree(t, a), true); len(c) > 0 {
		t.Errorf("touched %q", c)
	}
	if got, want := stderr.String(), filepath.Join("b", "b.go")+":2:3: IDEM602: no such package\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
}

func TestWarningsAreShownAndDoNotStopARun(t *testing.T) {
	a, stderr := fixture(t)
	parse := a.parse
	a.parse = func(ctx context.Context, c parser.Config) (*parser.Result, []diag.Diagnostic) {
		r, _ := parse(ctx, c)
		return r, []diag.Diagnostic{diag.New(diag.CodeLoad, model.Pos{}, "careful").AsWarning()}
	}
	if code := a.main(t.Context(), []string{"./..."}); code != exitOK {
		t.Errorf("exit %d", code)
	}
	if !strings.Contains(stderr.String(), "warning: careful") {
		t.Errorf("stderr: %s", stderr)
	}
	if code := a.main(t.Context(), []string{"check", "./..."}); code != exitOK {
		t.Errorf("check behind it: exit %d: %s", code, stderr)
	}
}

func TestLaw_G6_AnInterruptLeavesEveryFile(t *testing.T) {
	a, _ := fixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	parse := a.parse
	a.parse = func(ctx context.Context, c parser.Config) (*parser.Result, []diag.Diagnostic) {
		cancel()
		return parse(ctx, c)
	}
	before := tree(t, a)
	if code := a.main(ctx, []string{"./..."}); code != exitFailed {
		t.Errorf("exit %d", code)
	}
	if c := before.Changed(tree(t, a), true); len(c) > 0 {
		t.Errorf("touched %q", c)
	}
}

func TestParseArgs(t *testing.T) {
	for _, c := range []struct {
		args     string
		command  string
		dir      string
		tags     string
		format   format
		verbose  bool
		patterns string
	}{
		{"", "gen", "", "", "text", false, "."},
		{"./...", "gen", "", "", "text", false, "./..."},
		{"gen ./a ./b", "gen", "", "", "text", false, "./a ./b"},
		{"check", "check", "", "", "text", false, "."},
		{"-C x check -tags a,b ./... -format=json -v", "check", "x", "a,b", "json", true, "./..."},
		{"--C=x --tags=a check --format github ./...", "check", "x", "a", "github", false, "./..."},
		{"check -- -odd", "check", "", "", "text", false, "-odd"},
		{"./gen", "gen", "", "", "text", false, "./gen"},
		{"orders/...", "gen", "", "", "text", false, "orders/..."},
	} {
		o, err := parseArgs(strings.Fields(c.args))
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		if o.command.name != c.command || o.givenDir != c.dir || strings.Join(o.tags, ",") != c.tags ||
			o.format != c.format || o.verbose != c.verbose || strings.Join(o.patterns, " ") != c.patterns {
			t.Errorf("%q: %s %+v", c.args, o.command.name, *o)
		}
	}
}

func TestTakenNamesAreFindingsAtTheirPlace(t *testing.T) {
	a, stderr := fixture(t)
	a.emit = func(p *model.Package) ([]model.File, error) {
		return nil, &templates.ClashError{Clashes: []templates.Clash{
			{Pos: model.Pos{File: filepath.Join(p.Name, "x.go"), Line: 4, Col: 6}, Name: "IdempotentService", What: "the wrapper of Service"},
			{Name: "string", What: "it is redeclared"},
		}}
	}
	if code := a.main(t.Context(), []string{"./..."}); code != exitStale {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{
		"a: IDEM501: the generated file needs the name string: it is redeclared\n",
		filepath.Join("c", "x.go") + ":4:6: IDEM501: the generated file needs the name IdempotentService: the wrapper of Service\n",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is not in\n%s", want, stderr)
		}
	}
}
