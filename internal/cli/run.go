package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/internal/outfile"
	"github.com/idemgen/idemgen/parser"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/templates"
)

// plan runs the pipeline and compares what it made with what is on disk. It
// writes nothing. With an error among the diagnostics there are no changes:
// either every package of a run succeeds, or none is written.
func (a *app) plan(ctx context.Context, opts *options) ([]outfile.Change, []diag.Diagnostic) {
	parsed, diags := a.parse(ctx, a.config(opts))
	absolute(opts.dir, diags)
	if diag.HasErrors(diags) {
		return nil, diag.Dedupe(diags)
	}
	a.phases.enter("emit")
	files, failed := a.emitAll(ctx, parsed.Packages)
	absolute(opts.dir, failed)
	diags = append(diags, failed...)
	if diag.HasErrors(diags) {
		return nil, diag.Dedupe(diags)
	}
	for _, path := range parsed.Orphans {
		files = append(files, model.File{Path: path, Remove: true})
	}
	a.phases.enter("compare")
	changes, refused := outfile.Compare(files)
	diags = append(diags, refused...)
	if diag.HasErrors(diags) {
		changes = nil
	}
	return changes, diag.Dedupe(diags)
}

// config is what the parser is asked.
func (a *app) config(opts *options) parser.Config {
	return parser.Config{Dir: opts.dir, Tags: opts.tags, Patterns: opts.patterns, Phase: a.phases.enter}
}

// absolute completes positions, which the parser gives relative to dir.
func absolute(dir string, diags []diag.Diagnostic) {
	complete := func(p *model.Pos) {
		if p.File != "" && !filepath.IsAbs(p.File) {
			p.File = filepath.Join(dir, p.File)
		}
	}
	for i := range diags {
		complete(&diags[i].Pos)
		for j := range diags[i].Related {
			complete(&diags[i].Related[j].Pos)
		}
	}
}

// emitAll renders all packages in parallel; the order of the files is that of
// the packages. What an emitter can't render is a fault of the generator.
func (a *app) emitAll(ctx context.Context, pkgs []*model.Package) ([]model.File, []diag.Diagnostic) {
	files, errs := make([][]model.File, len(pkgs)), make([]error, len(pkgs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(pkgs)) {
		wg.Go(func() {
			for i := range next {
				if errs[i] = ctx.Err(); errs[i] == nil {
					files[i], errs[i] = a.emitOne(pkgs[i])
				}
			}
		})
	}
	for i := range pkgs {
		next <- i
	}
	close(next)
	wg.Wait()

	var failed []diag.Diagnostic
	for i, err := range errs {
		failed = append(failed, emitFindings(pkgs[i], err)...)
	}
	return slices.Concat(files...), failed
}

// emitFindings says what kept a package from being rendered: names that are taken
// stand at their place in the source, anything else is a fault of the generator.
func emitFindings(pkg *model.Package, err error) []diag.Diagnostic {
	if err == nil {
		return nil
	}
	clash, ok := errors.AsType[*templates.ClashError](err)
	if !ok {
		return []diag.Diagnostic{diag.New(diag.CodeInternal, model.Pos{File: pkg.Dir}, "package %s: %v", pkg.Path, err)}
	}
	var found []diag.Diagnostic
	for _, c := range clash.Clashes {
		pos := c.Pos
		if pos.File == "" {
			pos.File = pkg.Dir
		}
		found = append(found, diag.New(diag.CodeNameCollision, pos, "the generated file needs the name %s: %s", c.Name, c.What))
	}
	return found
}

// emitOne keeps a panic of an emitter from taking the other packages' findings
// with it.
func (a *app) emitOne(pkg *model.Package) (files []model.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return a.emit(pkg)
}
