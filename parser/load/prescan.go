package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// dirScan is what the bytes of one folder tell, before any go command.
type dirScan struct {
	dir   string // absolute
	files []fileScan
	// described is what idem.yaml files say of the package in it.
	described []described
}

// fileScan is one Go file of a folder.
type fileScan struct {
	name     string
	ours     bool // carries our header
	mentions bool // may have a directive, or be described in an idem.yaml
}

// mentions tells whether any file of the folder may have a directive.
func (s *dirScan) mentions() bool {
	return slices.ContainsFunc(s.files, func(f fileScan) bool { return f.mentions && !f.ours })
}

// mentionsFor tells whether a file may have a directive that leads to output.
func (s *dirScan) mentionsFor(output string) bool {
	test := output == model.OutputTestFile
	return slices.ContainsFunc(s.files, func(f fileScan) bool { return f.mentions && !f.ours && isTest(f.name) == test })
}

// file returns the scan of one file of the folder; the zero fileScan if absent.
func (s *dirScan) file(name string) fileScan {
	for _, f := range s.files {
		if f.name == name {
			return f
		}
	}
	return fileScan{}
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// prescan reads the Go files of the folders that the patterns name, in path
// order. exact is false when a pattern is no path: then only the go command
// knows the folders.
func (l *loader) prescan() (scans []*dirScan, exact bool) {
	exact = true
	seen := map[string]bool{}
	for _, pat := range l.cfg.Patterns {
		if strings.HasSuffix(pat, ".go") {
			l.report(diag.New(diag.CodeNoPackages, model.Pos{}, "pattern %s is a file", pat).WithHint("name its folder instead"))
			continue
		}
		if !isPath(pat) {
			exact = false
			continue
		}
		before := len(l.diags)
		matched := false
		for _, dir := range l.dirsOf(pat) {
			if seen[dir] {
				matched = true
				continue
			}
			if s := l.scanDir(dir); s != nil {
				seen[dir], matched = true, true
				scans = append(scans, s)
			}
		}
		if !matched && len(l.diags) == before {
			l.report(noGoFiles(pat))
		}
	}
	slices.SortFunc(scans, func(a, b *dirScan) int { return strings.Compare(a.dir, b.dir) })
	return scans, exact
}

// noGoFiles reports a path pattern that leads to no package: a check that looks
// at nothing must not be green.
func noGoFiles(pattern string) diag.Diagnostic {
	d := diag.New(diag.CodeNoPackages, model.Pos{}, "no Go files match %s", pattern)
	if !strings.Contains(pattern, "...") {
		d = d.WithHint("%s/... takes the folders below it, too", strings.TrimSuffix(filepath.ToSlash(pattern), "/"))
	}
	return d
}

func isPath(pattern string) bool {
	p := filepath.ToSlash(pattern)
	return p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") || filepath.IsAbs(pattern)
}

// dirsOf expands one path pattern as the go command does.
func (l *loader) dirsOf(pattern string) []string {
	abs := filepath.Clean(pattern)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(l.cfg.Dir, abs)
	}
	base, wild := abs, false
	if i := strings.Index(abs, "..."); i >= 0 {
		base, wild = filepath.Dir(abs[:i]+"x"), true
	}
	info, err := os.Stat(base)
	switch {
	case err != nil:
		l.report(diag.New(diag.CodeNoPackages, model.Pos{}, "pattern %s: %s", pattern, reason(err)))
		return nil
	case !info.IsDir():
		l.report(diag.New(diag.CodeNoPackages, model.Pos{}, "pattern %s is a file", pattern).WithHint("name its folder instead"))
		return nil
	case !wild:
		return []string{base}
	}
	return l.walk(base, matcher(filepath.ToSlash(abs)))
}

// walk lists the folders under base that match, leaving out what the go command
// leaves out: hidden, underscored, testdata, vendored and ignored folders and
// nested modules.
func (l *loader) walk(base string, match func(string) bool) []string {
	ignored := ignoreRules(base)
	var dirs []string
	err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			l.report(diag.New(diag.CodeRead, model.Pos{File: l.display(p)}, "can't read the folder: %s", reason(err)))
			return fs.SkipDir
		}
		if !d.IsDir() {
			return nil
		}
		if p != base {
			name := d.Name()
			if name[0] == '.' || name[0] == '_' || name == "testdata" || name == "vendor" || ignored(p) {
				return fs.SkipDir
			}
			if mod, err := os.Stat(filepath.Join(p, "go.mod")); err == nil && !mod.IsDir() {
				return fs.SkipDir
			}
		}
		if match(filepath.ToSlash(p)) {
			dirs = append(dirs, p)
		}
		return nil
	})
	if err != nil {
		l.report(diag.New(diag.CodeRead, model.Pos{File: l.display(base)}, "can't read the folder: %s", reason(err)))
	}
	return dirs
}

// matcher makes a predicate of a pattern in which "..." stands for any text, and
// a final "/..." also for nothing.
func matcher(pattern string) func(string) bool {
	trimmed, tail := strings.CutSuffix(pattern, "/...")
	return func(p string) bool {
		if tail && glob(trimmed, p) {
			return true
		}
		return glob(pattern, p)
	}
}

// glob matches text against a pattern whose only special part is "...".
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "...")
	if len(parts) == 1 {
		return pattern == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return strings.HasSuffix(text, last)
}

// scanDir reads the Go files of one folder; nil if it has none.
func (l *loader) scanDir(dir string) *dirScan {
	entries, err := os.ReadDir(dir)
	if err != nil {
		l.report(diag.New(diag.CodeRead, model.Pos{File: l.display(dir)}, "can't read the folder: %s", reason(err)))
		return nil
	}
	s := &dirScan{dir: dir, described: l.descriptions(dir)}
	wanted := s.wanted()
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || name[0] == '.' || name[0] == '_' || e.IsDir() {
			continue
		}
		full := filepath.Join(dir, name)
		src, err := os.ReadFile(full)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) { // a dangling link is no Go file
				l.report(diag.New(diag.CodeRead, model.Pos{File: l.display(full)}, "can't read the file: %s", reason(err)))
			}
			continue
		}
		f := fileScan{name: name, ours: model.Ours(name, src), mentions: directive.MayContain(src)}
		if f.ours && f.mentions {
			if line, col := handWrittenDirective(src); line > 0 {
				l.report(diag.New(diag.CodeGeneratedFile, model.Pos{File: l.display(full), Line: line, Col: col}, "directive in a file that idemgen writes").
					WithHint("move it to a hand-written file"))
			}
		}
		f.mentions = f.mentions || wanted && !f.ours && !isTest(name)
		s.files = append(s.files, f)
	}
	if len(s.files) == 0 {
		return nil
	}
	return s
}

// reason is the text of a file error without the path, which stands before it.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
