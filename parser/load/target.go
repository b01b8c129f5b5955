package load

import (
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// openTargets makes a Package of every package of the run that has a directive
// and asks for the declarations that the directives lead to.
func (l *loader) openTargets(roots []*listed) {
	for _, p := range roots {
		if p.Error != nil && l.fatal(p) {
			continue
		}
		scan := l.byDir[p.Dir]
		if scan == nil || !scan.mentions() {
			continue
		}
		plain := fileNames(scan, p.GoFiles, p.CgoFiles, p.InvalidGoFiles)
		inTest, external := fileNames(scan, p.TestGoFiles), fileNames(scan, p.XTestGoFiles)
		plain = l.oneName(p, notTests(plain))
		l.openTarget(p, scan, Plain, plain, plain)
		l.openTarget(p, scan, InTest, append(slices.Clone(plain), inTest...), inTest)
		l.openTarget(p, scan, External, external, external)
	}
}

// fileNames joins lists of files without the ones that we wrote (G3).
func fileNames(scan *dirScan, lists ...[]string) []string {
	var names []string
	for _, list := range lists {
		for _, name := range list {
			if !scan.file(name).ours {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func notTests(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), isTest)
}

// openTarget opens one variant; annotated are the files whose directives count.
func (l *loader) openTarget(p *listed, scan *dirScan, v Variant, names, annotated []string) *node {
	counts := func(name string) bool {
		return scan.file(name).mentions && slices.Contains(annotated, name)
	}
	if !slices.ContainsFunc(names, counts) {
		return nil
	}
	path, output := p.ImportPath, model.OutputFile
	if v != Plain {
		output = model.OutputTestFile
	}
	if v == External {
		path += "_test"
	}
	var files []*File
	var diags []diag.Diagnostic
	found, broken := false, false
	for _, name := range names {
		s := l.source(filepath.Join(p.Dir, name))
		if s.readErr != nil { // what it declares is not known
			if v == Plain || !slices.Contains(p.GoFiles, name) {
				l.report(unreadable(l.display(s.path), s.readErr))
			}
			return nil
		}
		f := &File{Path: l.display(s.path), source: s}
		if counts(name) {
			f.Directives, f.Constraint = s.directives, s.constraint
			diags = append(diags, s.faults...)
			found = found || f.Annotated() || len(s.faults) > 0
		}
		broken = broken || len(s.errs) > 0
		files = append(files, f)
	}
	files, declared := l.describe(p, scan, v, files)
	found = found || v == Plain && (slices.ContainsFunc(files, (*File).Annotated) || len(declared) > 0)
	if !found && !broken {
		return nil
	}
	if broken {
		for _, f := range files {
			diags = append(diags, l.syntaxErrors(f.source)...)
		}
	}
	if found || slices.ContainsFunc(files, func(f *File) bool { return len(f.source.errs) > 0 && counts(f.source.name) }) {
		l.report(diags...)
	}
	if !found {
		return nil
	}
	n := l.newNode(p, path, files[len(files)-1].source.file.Name.Name, v)
	n.target = &Package{
		Path: path, Name: n.name, Module: p.modulePath(), Dir: p.Dir, Output: output, Variant: v, Broken: broken,
		Fset: l.res.Fset, Files: files, Described: declared, node: n, load: l,
	}
	for _, f := range files {
		n.add(f.source)
	}
	if !slices.ContainsFunc(files, (*File).Annotated) {
		n.target.Broken = true
	}
	if f := scan.file(output); f.name != "" && !f.ours {
		l.report(diag.New(diag.CodeNotOurs, model.Pos{File: l.display(filepath.Join(p.Dir, output)), Line: 1, Col: 1}, "%s would be overwritten, but it is not ours: its first line is not %q", output, model.Header).
			WithHint("move or remove it"))
	}
	l.targets = append(l.targets, n)
	return n
}

// unreadable reports a file that the operating system did not hand out.
func unreadable(file string, err error) diag.Diagnostic {
	return diag.New(diag.CodeRead, model.Pos{File: file}, "can't read the file: %s", reason(err))
}

// syntaxErrors reports what the parser found, at most once per file.
func (l *loader) syntaxErrors(s *source) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, e := range s.errs {
		pos := model.Pos{File: l.display(s.path), Line: e.Pos.Line, Col: e.Pos.Column}
		out = append(out, diag.New(diag.CodeGoSyntax, pos, "%s", e.Msg))
	}
	return out
}
