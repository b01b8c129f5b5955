package names

import (
	"path"
	"sort"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Table holds the imports of one generated file: the name each package has in
// it, and whether the file uses it. Not safe for concurrent use; each file has
// its own.
type Table struct {
	path    string // import path of the generated package
	module  string // its module path, or the first element of path
	scope   Set    // package scope, the generated names included
	entries []*entry
}

type entry struct {
	path, pkg, name string
	used            bool
}

// Import is one line of an import block.
type Import struct {
	// Alias is the name to write, or "" where the plain path says it.
	Alias string
	Path  string
}

// New settles the import names of a package's generated file. fixed are the
// packages that generated code itself may need; those that the model mentions
// keep the names the user gave them where they are free, before any of fixed.
// declared are the package-scope names that the file declares.
func New(pkg *model.Package, fixed []model.Import, declared []string) *Table {
	t := &Table{path: pkg.Path, module: pkg.Module, scope: NewSet(pkg.Taken, declared)}
	if t.module == "" {
		t.module, _, _ = strings.Cut(pkg.Path, "/")
	}
	taken := NewSet()
	forEachMethod(pkg, func(m *model.Method, tps []model.TypeParam) {
		for _, p := range m.Params {
			taken.Add(p.Name)
		}
		for _, tp := range tps {
			taken.Add(tp.Name)
		}
	})
	ForEachSQLParam(pkg, func(p model.SQLParam) { taken.Add(p.Name) })
	for _, imp := range mentioned(pkg, t.path) {
		t.add(imp, taken)
	}
	for _, imp := range fixed {
		t.add(imp, taken)
	}
	return t
}

// add gives a package its name, unless it has one.
func (t *Table) add(imp model.Import, taken Set) {
	if imp.Path == t.path || t.find(imp.Path) != nil {
		return
	}
	want := imp.Alias
	if want == "" || want == "." || want == "_" {
		want = imp.Name
	}
	name := Fresh(want, taken, t.scope)
	taken.Add(name)
	t.entries = append(t.entries, &entry{path: imp.Path, pkg: imp.Name, name: name})
}

func (t *Table) find(path string) *entry {
	for _, e := range t.entries {
		if e.path == path {
			return e
		}
	}
	return nil
}

// Use returns the name of a package in the file and marks it as imported; ""
// for the generated package itself, whose names need no qualifier. A package
// that New was not told of is a mistake of the templates: it panics.
func (t *Table) Use(path string) string {
	if path == t.path {
		return ""
	}
	e := t.find(path)
	if e == nil {
		panic("names: import " + path + " was never announced")
	}
	e.used = true
	return e.name
}

// imports returns the names of all packages of the table, used or not: locals
// keep clear of every one.
func (t *Table) has(name string) bool {
	for _, e := range t.entries {
		if e.name == name {
			return true
		}
	}
	return false
}

// Groups returns the imports that were used: the standard library first, all
// others second, each sorted by path, as gofmt, goimports and gofumpt leave
// them (G8).
func (t *Table) Groups() (std, others []Import) {
	for _, e := range t.entries {
		if !e.used {
			continue
		}
		imp := Import{Path: e.path}
		if e.name != e.pkg || e.name != assumedName(e.path) {
			imp.Alias = e.name
		}
		if t.standard(e.path) {
			std = append(std, imp)
		} else {
			others = append(others, imp)
		}
	}
	for _, g := range [][]Import{std, others} {
		sort.Slice(g, func(i, j int) bool { return g[i].Path < g[j].Path })
	}
	return std, others
}

// standard tells whether formatting tools take a path for the standard
// library's: no dot in its first element, and not of the user's own module.
func (t *Table) standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	if strings.Contains(first, ".") || first == "test" || first == "example" {
		return false
	}
	return p != t.module && !strings.HasPrefix(p, t.module+"/")
}

// assumedName is the package name that goimports reads off a path; where the
// real one differs it writes the name in front, and so do we.
func assumedName(p string) string {
	base := path.Base(p)
	if v, ok := strings.CutPrefix(base, "v"); ok {
		if _, err := strconv.Atoi(v); err == nil && path.Dir(p) != "." {
			base = path.Base(path.Dir(p))
		}
	}
	base = strings.TrimPrefix(base, "go-")
	for i, r := range base {
		if !(isIdentStart(r) || (r >= '0' && r <= '9')) {
			return base[:i]
		}
	}
	return base
}

// mentioned returns the packages that the model's code names, sorted by path;
// of one imported under several names, the first alias that was written.
func mentioned(pkg *model.Package, self string) []model.Import {
	var list []model.Import
	at := map[string]int{}
	forEachCode(pkg, func(c model.Code) {
		for _, tok := range c {
			if tok.Kind != model.TokQual || tok.Import.Path == self {
				continue
			}
			i, ok := at[tok.Import.Path]
			if !ok {
				at[tok.Import.Path] = len(list)
				list = append(list, tok.Import)
				continue
			}
			if list[i].Alias == "" && tok.Import.Alias != "." && tok.Import.Alias != "_" {
				list[i].Alias = tok.Import.Alias
			}
		}
	})
	sort.SliceStable(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list
}
