// Package check turns the directives of loaded packages into the model and
// applies every rule on the way.
//
// The flow of Check: for each package its state machines (machine, states,
// transitions, graph; then, when all are known, guards: their SQL), then its
// guarded methods (stack of layers, signature, context and transaction, then the layers
// from the record outwards: once or message, fire, unique, lock, token; or request alone), its
// versioned structs (columns, key and version, updates), then what only the whole
// can tell: names that the generated code would declare
// twice, operations that two methods share. Every fault is a diagnostic at the
// argument that causes it, and one fault does not hide the others. Expressions in
// directives are type-checked where they stand.
package check

import (
	"cmp"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/load"
)

// Check returns the model of every package of the result that something is
// generated for, in the order of the result, and all diagnostics, unsorted.
// Where a diagnostic is an error the model is incomplete and must not be
// emitted. Check never panics on any input and is safe for concurrent use.
func Check(res *load.Result) ([]*model.Package, []diag.Diagnostic) {
	r := &run{machinesByPath: map[string][]*machine{}, ops: map[string]model.Pos{}, plain: map[string][]claim{}}
	r.sharedOutputs(res.Packages)
	// Machines first: other packages may fire them.
	checkers := map[*load.Package]*checker{}
	for _, p := range res.Packages {
		switch {
		case p.Broken:
			r.broken(p)
		case p.Support || hasMachines(p):
			c := newChecker(r, p)
			checkers[p] = c
			c.allMachines()
		}
	}
	var out []*model.Package
	for _, p := range res.Packages {
		if p.Broken || p.Support {
			continue
		}
		c := checkers[p]
		if c == nil {
			c = newChecker(r, p)
			c.allMachines()
		}
		c.allMethods()
		c.allVersions()
		c.collisions()
		c.constraints()
		if m := c.finish(); m != nil {
			out = append(out, m)
		}
		if checkers[p] == nil {
			p.Release()
		}
	}
	return out, r.diags
}

// hasMachines tells whether a package has state machines.
func hasMachines(p *load.Package) bool {
	return slices.ContainsFunc(p.Files, func(f *load.File) bool {
		return slices.ContainsFunc(f.Directives, func(d directive.Attached) bool { return d.Name == "statemachine" })
	})
}

// run is the state of one Check over all packages.
type run struct {
	diags []diag.Diagnostic
	// machinesByPath are the machines by import path; a nil one says that the
	// package does not parse.
	machinesByPath map[string][]*machine
	ops            map[string]model.Pos // operation names given so far
	// plain are the names that a package declares: its in-package tests share them.
	plain map[string][]claim
}

func (r *run) report(d diag.Diagnostic) { r.diags = append(r.diags, d) }

// broken remembers that a package's machines are unknown because its files do
// not parse, so that fire does not call them missing.
func (r *run) broken(p *load.Package) {
	r.machinesByPath[p.Path] = append(r.machinesByPath[p.Path], nil)
}

// sharedOutputs refuses two packages that would be written to one file: an
// in-package and an external test package.
func (r *run) sharedOutputs(pkgs []*load.Package) {
	for i, p := range pkgs {
		for _, q := range pkgs[:i] {
			if p.Dir == q.Dir && p.Output == q.Output && !p.Support && !q.Support {
				r.report(diag.New(diag.CodeSeveralPackages, firstDirective(p), "packages %s and %s would both be written to %s", q.Name, p.Name, p.Output).
					WithRelated(firstDirective(q), "package %s is annotated here", q.Name).
					WithHint("annotate test code in one of the two packages only"))
			}
		}
	}
}

func firstDirective(p *load.Package) model.Pos {
	for _, f := range p.Files {
		for _, d := range f.Directives {
			return d.Pos
		}
	}
	return model.Pos{}
}

// comparePos orders places by file, line and column.
func comparePos(a, b model.Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// checker is the state of checking one package.
type checker struct {
	*run
	p        *load.Package
	groups   []*group
	machines []*machine
	versions []*model.Version
	services []*service
	funcs    []*model.Method
	guarded  []guarded
	failed   bool // an error was reported for this package
}

func newChecker(r *run, p *load.Package) *checker {
	c := &checker{run: r, p: p}
	r.diags = append(r.diags, p.Resolve()...)
	c.groups = c.instantiated(groups(p))
	return c
}

// fail reports a diagnostic of this package; of a support package only the fact
// counts.
func (c *checker) fail(d diag.Diagnostic) {
	if !d.Warning {
		c.failed = true
	}
	if !c.p.Support {
		c.report(d)
	}
}

// constraints settles the one build constraint of the output.
func (c *checker) constraints() {
	var first *load.File
	for _, f := range c.p.Files {
		switch {
		case !f.Annotated():
		case first == nil:
			first = f
		case f.Constraint != first.Constraint:
			c.fail(diag.New(diag.CodeConstraints, f.Directives[0].Pos, "%s is built for %s and %s for %s, but both lead to %s",
				f.Path, constraintText(f), first.Path, constraintText(first), c.p.Output).
				WithRelated(first.Directives[0].Pos, "first directive of %s", first.Path).
				WithHint("move the annotated code into files with one build constraint"))
			return
		}
	}
}

func constraintText(f *load.File) string {
	if f.Constraint == "" {
		return "every platform"
	}
	return f.Constraint
}

// finish makes the model package; nil when nothing is generated.
func (c *checker) finish() *model.Package {
	m := &model.Package{
		Path: c.p.Path, Name: c.p.Name, Module: c.p.Module, Dir: c.p.Dir, Output: c.p.Output,
		Taken: sortedKeys(c.p.Declared), FileNames: sortedKeys(c.p.FileNames), Sentinels: c.sentinels(),
	}
	if c.p.Variant == load.InTest {
		// The package's own generated file declares it in the same scope.
		m.Taken = append(m.Taken, "idemSentinels")
		slices.Sort(m.Taken)
	}
	for _, f := range c.p.Files {
		if f.Annotated() {
			m.Constraint = f.Constraint
			break
		}
	}
	for _, s := range c.services {
		slices.SortFunc(s.model.Methods, func(a, b *model.Method) int { return comparePos(a.Pos, b.Pos) })
		m.Services = append(m.Services, s.model)
	}
	slices.SortFunc(m.Services, func(a, b *model.Service) int { return comparePos(a.Pos, b.Pos) })
	m.Funcs = c.funcs
	slices.SortFunc(m.Funcs, func(a, b *model.Method) int { return comparePos(a.Pos, b.Pos) })
	for _, x := range c.machines {
		m.Machines = append(m.Machines, x.model)
	}
	slices.SortFunc(m.Machines, func(a, b *model.Machine) int { return comparePos(a.Pos, b.Pos) })
	m.Versions = c.versions
	slices.SortFunc(m.Versions, func(a, b *model.Version) int { return comparePos(a.Pos, b.Pos) })
	m.Declared = c.declared()
	if len(m.Declared)+len(m.Services)+len(m.Funcs)+len(m.Machines)+len(m.Versions) == 0 {
		return nil
	}
	return m
}
