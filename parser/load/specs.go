package load

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/spec"
)

// described is what one idem.yaml says of the package in one folder.
type described struct {
	*spec.Package
	dir string // absolute
}

// descriptions are what the idem.yaml files in and above a folder say of the package
// in it, the outermost file first.
func (l *loader) descriptions(dir string) []described {
	var out []described
	for _, d := range l.specsFor(dir) {
		if d.dir == dir {
			out = append(out, d)
		}
	}
	return out
}

// specsFor reads the idem.yaml files in a folder and above it, up to the one of the
// module's go.mod. Each is read once.
func (l *loader) specsFor(dir string) []described {
	if out, ok := l.specs[dir]; ok {
		return out
	}
	var out []described
	if parent := filepath.Dir(dir); parent != dir && !isFile(filepath.Join(dir, "go.mod")) {
		out = l.specsFor(parent)
	}
	out = append(slices.Clip(out), l.readSpec(dir)...)
	l.specs[dir] = out
	return out
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// readSpec reads the idem.yaml of one folder, if it has one.
func (l *loader) readSpec(dir string) []described {
	full := filepath.Join(dir, spec.FileName)
	src, err := os.ReadFile(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		l.report(unreadable(l.display(full), err))
		return nil
	}
	root, mod := goMod(dir)
	if root == "" { // a folder outside of any module has no packages to describe
		return nil
	}
	file, diags := spec.Parse(l.res.Fset, l.display(full), src)
	l.report(diags...)
	if file == nil {
		return nil
	}
	where := specPlace{dir: dir, root: root, module: modulePath(mod)}
	first := map[string]spec.Name{}
	var out []described
	for _, p := range file.Packages {
		at, bad := where.folder(p.Key)
		if other, twice := first[at]; bad == nil && twice {
			d := diag.New(diag.CodeYAMLTwice, p.Key.Pos, "package %s is described twice", p.Key.Text).WithRelated(other.Pos, "it is described here first")
			bad = &d
		}
		if bad != nil {
			l.report(*bad)
			continue
		}
		first[at] = p.Key
		out = append(out, described{p, at})
	}
	return out
}

// specPlace is where an idem.yaml lies.
type specPlace struct {
	dir    string // of the file
	root   string // of its module
	module string // path of the module
}

// folder is the folder of a package that the file names.
func (w specPlace) folder(key spec.Name) (string, *diag.Diagnostic) {
	fail := func(code diag.Code, hint, format string, args ...any) (string, *diag.Diagnostic) {
		d := diag.New(code, key.Pos, format, args...)
		d.Hint = hint
		return "", &d
	}
	dir := ""
	rel, inModule := strings.CutPrefix(key.Text, w.module)
	switch {
	case key.Text == "." || key.Text == ".." || strings.HasPrefix(key.Text, "./") || strings.HasPrefix(key.Text, "../"):
		dir = filepath.Join(w.dir, filepath.FromSlash(key.Text))
	case w.module != "" && inModule && (rel == "" || rel[0] == '/'):
		dir = filepath.Join(w.root, filepath.FromSlash(rel))
	default:
		hint := "write a folder relative to this file, such as ./orders"
		if w.module != "" {
			hint += ", or an import path that begins with " + w.module
		}
		return fail(diag.CodeYAMLPackage, hint, "package %s is not in the module of this file", key.Text)
	}
	below, err := filepath.Rel(w.dir, dir)
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return fail(diag.CodeYAMLOutside, "describe it in an "+spec.FileName+" in its own folder or above it", "package %s is not below the folder of this file", key.Text)
	}
	for d := dir; d != w.dir; d = filepath.Dir(d) {
		if isFile(filepath.Join(d, "go.mod")) {
			return fail(diag.CodeYAMLOutside, "describe it in an "+spec.FileName+" of that module", "package %s is in a module of its own", key.Text)
		}
	}
	if !hasGoFiles(dir) {
		hint := ""
		if s := diag.Suggest(filepath.Base(dir), folders(filepath.Dir(dir))); s != "" && dir != w.dir {
			hint = `did you mean "` + beside(key.Text, s) + `"?`
		}
		return fail(diag.CodeYAMLPackage, hint, "package %s has no Go files", key.Text)
	}
	return dir, nil
}

// beside is a package key whose last element is another one.
func beside(key, last string) string {
	if dir := path.Dir(key); dir != "." || strings.HasPrefix(key, "./") {
		if strings.HasPrefix(key, "./") && dir == "." {
			return "./" + last
		}
		if strings.HasPrefix(key, "./") {
			return "./" + path.Join(dir, last)
		}
		return path.Join(dir, last)
	}
	return last
}

// hasGoFiles tells whether a folder has Go files that are neither tests nor ours.
func hasGoFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		name := e.Name()
		return !e.IsDir() && strings.HasSuffix(name, ".go") && !isTest(name) && !model.IsOutput(name) && name[0] != '.' && name[0] != '_'
	})
}

// folders are the names of the folders in a folder that have Go files; for suggestions.
func folders(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && hasGoFiles(filepath.Join(dir, e.Name())) {
			out = append(out, e.Name())
		}
	}
	return out
}

// modulePath is the path in the module line of a go.mod.
func modulePath(src []byte) string {
	for line := range strings.Lines(string(src)) {
		line, _, _ = strings.Cut(line, "//")
		if words := strings.Fields(line); len(words) == 2 && words[0] == "module" {
			return strings.Trim(words[1], "\"`")
		}
	}
	return ""
}

// imports are the packages that descriptions name.
func (s *dirScan) imports() []spec.Import {
	var out []spec.Import
	for _, d := range s.described {
		out = append(out, d.Imports...)
	}
	return out
}

// wanted tells whether a folder is described at all.
func (s *dirScan) wanted() bool {
	return slices.ContainsFunc(s.described, func(d described) bool { return len(d.Declarations) > 0 })
}
