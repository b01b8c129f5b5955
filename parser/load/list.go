package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Runner starts a command in dir with the environment env and returns what it
// wrote. A command that ends with a non-zero code returns an error beside it.
type Runner func(ctx context.Context, dir string, env []string, name string, args ...string) (stdout, stderr []byte, err error)

func execGo(ctx context.Context, dir string, env []string, name string, args ...string) (stdout, stderr []byte, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	// PWD keeps the go command in the folder as the user named it, symlinks included.
	cmd.Dir, cmd.Env = dir, append(slices.Clip(env), "PWD="+dir)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.Bytes(), err
}

// listed is one package as `go list -json` describes it.
type listed struct {
	Dir            string
	ImportPath     string
	Name           string
	ForTest        string
	Standard       bool
	DepOnly        bool
	GoFiles        []string
	CgoFiles       []string
	IgnoredGoFiles []string
	InvalidGoFiles []string
	TestGoFiles    []string
	XTestGoFiles   []string
	ImportMap      map[string]string
	Module         *struct {
		Path string
		Main bool
	}
	Error *listError
}

func (p *listed) modulePath() string {
	if p.Module == nil {
		return ""
	}
	return p.Module.Path
}

// foreign tells whether the package belongs to a module that is not being worked
// on: a dependency, whose files are not ours to write.
func (p *listed) foreign() bool { return p.Standard || p.Module != nil && !p.Module.Main }

type listError struct {
	ImportStack []string
	Pos         string
	Err         string
}

// listFields are the fields of listed, in the form that -json= takes.
const listFields = "Dir,ImportPath,Name,ForTest,Standard,DepOnly,GoFiles,CgoFiles,IgnoredGoFiles,InvalidGoFiles,TestGoFiles,XTestGoFiles,ImportMap,Module,Error"

// maxPatternBytes bounds the command line: some systems take no more than 32 KiB.
const maxPatternBytes = 24 << 10

// list runs the one go command of a load. It returns the packages that the
// patterns name; nil means that nothing could be listed.
func (l *loader) list(ctx context.Context, exact bool) []*listed {
	args := []string{"list", "-e", "-deps", "-json=" + listFields}
	if l.needTests(exact) {
		args = append(args, "-test")
	}
	if len(l.cfg.Tags) > 0 {
		args = append(args, "-tags="+strings.Join(l.cfg.Tags, ","))
	}
	args = append(args, "--")
	args = append(args, l.patterns(exact)...)
	var extra []string
	if exact {
		extra = l.specImports()
	}
	args = append(args, extra...)
	l.res.Execs++
	stdout, stderr, err := l.cfg.Run(ctx, l.cfg.Dir, l.cfg.Env, "go", args...)
	if ctx.Err() != nil {
		l.report(diag.New(diag.CodeLoad, model.Pos{}, "go list was stopped: %v", context.Cause(ctx)))
		return nil
	}
	roots, decodeErr := l.decode(stdout)
	if decodeErr != nil {
		l.report(diag.New(diag.CodeLoad, model.Pos{}, "can't read the answer of go list: %v", decodeErr))
		return nil
	}
	if err != nil && len(roots) == 0 {
		message, advice := goMessage(stderr, err)
		d := diag.New(diag.CodeLoad, model.Pos{}, "go list failed: %s", message)
		if advice != "" {
			d = d.WithHint("%s", advice)
		}
		l.report(d)
		return nil
	}
	roots = l.withoutImports(roots, extra)
	if len(roots) == 0 {
		l.report(diag.New(diag.CodeNoPackages, model.Pos{}, "no packages match %s", strings.Join(l.cfg.Patterns, " ")))
	}
	return roots
}

// specImports are the packages that idem.yaml files import: no Go file may do so.
func (l *loader) specImports() []string {
	var out []string
	for _, s := range l.scans {
		for _, imp := range s.imports() {
			out = append(out, imp.Path.Text)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withoutImports leaves out the packages that were listed only because an idem.yaml
// imports them.
func (l *loader) withoutImports(roots []*listed, imports []string) []*listed {
	return slices.DeleteFunc(roots, func(p *listed) bool {
		return slices.Contains(imports, p.ImportPath) && l.byDir[p.Dir] == nil
	})
}

// listMore lists packages that only an idem.yaml imports which was found late: by a
// pattern that is no path, or beside a state machine outside of the run.
func (l *loader) listMore(ctx context.Context, paths []string) {
	args := []string{"list", "-e", "-deps", "-json=" + listFields}
	if len(l.cfg.Tags) > 0 {
		args = append(args, "-tags="+strings.Join(l.cfg.Tags, ","))
	}
	l.res.Execs++
	stdout, _, _ := l.cfg.Run(ctx, l.cfg.Dir, l.cfg.Env, "go", append(append(args, "--"), paths...)...) // what it lacks is reported as unknown
	known := maps.Clone(l.listed)
	if _, err := l.decode(stdout); err != nil {
		l.report(diag.New(diag.CodeLoad, model.Pos{}, "can't read the answer of go list: %v", err))
	}
	maps.Copy(l.listed, known)
	for path := range l.listed {
		if key := nodeKey(path, Plain); known[path] == nil && l.nodes[key] == nil {
			delete(l.nodes, key) // looked for before
		}
	}
}

// needTests tells whether dependencies of tests are needed. Where folders are
// not known yet the answer has to be yes.
func (l *loader) needTests(exact bool) bool {
	return !exact || slices.ContainsFunc(l.scans, func(s *dirScan) bool { return s.mentionsFor(model.OutputTestFile) })
}

// patterns are what go list is asked for: just the folders that mention a
// directive, unless they are unknown or too many for a command line.
func (l *loader) patterns(exact bool) []string {
	if !exact {
		return l.cfg.Patterns
	}
	var dirs []string
	size := 0
	for _, s := range l.scans {
		if !s.mentions() {
			continue
		}
		dir := s.dir
		if rel, err := filepath.Rel(l.cfg.Dir, s.dir); err == nil {
			if dir = rel; dir != "." && dir != ".." && !strings.HasPrefix(dir, "../") {
				dir = "." + string(filepath.Separator) + dir
			}
		}
		dirs = append(dirs, dir)
		size += len(dir) + 1
	}
	if size > maxPatternBytes {
		return l.cfg.Patterns
	}
	return dirs
}

// decode reads the stream of packages. Recompiled variants for tests ("p
// [q.test]") have the files of the plain package and stand in where that was
// not listed.
func (l *loader) decode(stdout []byte) (roots []*listed, err error) {
	dec := json.NewDecoder(bytes.NewReader(stdout))
	var variants []*listed
	for {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		switch {
		case p.ForTest != "":
			variants = append(variants, p)
		case strings.HasSuffix(p.ImportPath, ".test") && p.Name == "main":
			// the test binary's own main package
		default:
			l.listed[p.ImportPath] = p
			if !p.DepOnly {
				roots = append(roots, p)
			}
		}
	}
	for _, p := range variants {
		p.ImportPath, _, _ = strings.Cut(p.ImportPath, " ")
		if l.listed[p.ImportPath] == nil && p.ImportPath != p.ForTest+"_test" {
			l.listed[p.ImportPath] = p
		}
	}
	slices.SortFunc(roots, func(a, b *listed) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return roots, nil
}

// goMessage is the first line of what the go command complained about, with the
// next where it only announces that, and the command that it advises, if any.
func goMessage(stderr []byte, err error) (message, advice string) {
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "go: ")
		switch {
		case line == "" || line[0] == '#':
		case message == "":
			message = withoutAdvice(line)
		case strings.HasSuffix(message, ":"): // it only announced this line
			message += " " + line
		case strings.HasPrefix(line, "go "):
			return message, "run " + line
		}
	}
	if message == "" {
		message = fmt.Sprint(err)
	}
	return message, ""
}

// withoutAdvice cuts the announcement of a command that follows on the next line.
func withoutAdvice(line string) string {
	for _, tail := range []string{"; to add it:", "; to update it:", "; to add:"} {
		line = strings.TrimSuffix(line, tail)
	}
	return line
}
