// Package parser turns annotated Go packages into the model that the templates
// emit: Parse is load and check in one call.
//
// Its rooms: directive (comments in, typed arguments out), load (packages and
// their types), check (every rule, and the model), diag (codes and positions).
package parser

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/check"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/load"
)

// Config says what to parse. See load.Config for the fields.
type Config = load.Config

// Result is what Parse found.
type Result struct {
	// Packages are what is to be generated, by import path, a package before
	// its tests.
	Packages []*model.Package
	// Orphans are the absolute paths of files with our header in the folders
	// of this run that no package outputs any more, sorted. They may only be
	// removed when there are no errors.
	Orphans []string
	// Dirs are the absolute folders of this run, sorted.
	Dirs []string
	// Execs counts the go commands that were started: none when nothing is
	// annotated or described and all patterns are paths, else one, and one more for
	// each idem.yaml found late that imports what no Go file does.
	Execs int
}

// Parse finds, loads and checks the annotated packages. The diagnostics are
// sorted and each is there once; with an error among them the packages are
// incomplete and must not be emitted. The result is never nil. Parse prints and
// writes nothing, and is safe for concurrent use.
func Parse(ctx context.Context, cfg Config) (*Result, []diag.Diagnostic) {
	loaded, diags := load.Load(ctx, cfg)
	cfg.Enter("rules")
	pkgs, more := check.Check(loaded)
	res := &Result{Packages: pkgs, Orphans: orphans(loaded.Orphans, pkgs), Dirs: loaded.Dirs, Execs: loaded.Execs}
	return res, diag.Dedupe(append(diags, more...))
}

// orphans leaves out the tests that machines of the packages ask for.
func orphans(paths []string, pkgs []*model.Package) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		return slices.ContainsFunc(pkgs, func(p *model.Package) bool {
			name := p.MachineTestFile()
			return name != "" && path == filepath.Join(p.Dir, name)
		})
	})
}
