package gen

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/bench/gen/used"
)

// Contestant is a generator.
type Contestant struct {
	Name    string
	Command func(t Tree) (argv []string)
	Output  string // of each package that it is to write: idem_gen.go
	// All tells that it writes into every package, not only into annotated ones.
	All bool
	Max int // packages that it can do in sensible time; 0 = any

	measure string // the command that measures it
}

// Tools are the paths of the generators, built, and of the command that measures them.
type Tools struct{ Idemgen, Goverter, Mockery, Moq, Measure string }

// Build builds them into a folder, from this module's go.mod.
func Build(ctx context.Context, repository, dir string) (Tools, error) {
	t := Tools{filepath.Join(dir, "idemgen"), filepath.Join(dir, "goverter"), filepath.Join(dir, "mockery"), filepath.Join(dir, "moq"), filepath.Join(dir, "measure")}
	for _, args := range [][]string{{"list", "-m", "all"}, {"mod", "download"}} { // the trees are offline, and a new machine's cache is empty
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = repository
		if out, err := cmd.CombinedOutput(); err != nil {
			return t, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	for _, b := range []struct{ in, out, pkg string }{
		{repository, t.Idemgen, "./cmd/idemgen"},
		{filepath.Join(repository, "internal", "bench"), t.Goverter, "github.com/jmattheis/goverter/cmd/goverter"},
		{filepath.Join(repository, "internal", "bench"), t.Mockery, "github.com/vektra/mockery/v3"},
		{filepath.Join(repository, "internal", "bench"), t.Moq, "github.com/matryer/moq"},
		{filepath.Join(repository, "internal", "bench"), t.Measure, "./gen/measure"},
	} {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", b.out, b.pkg)
		cmd.Dir = b.in
		if out, err := cmd.CombinedOutput(); err != nil {
			return t, fmt.Errorf("build %s: %w\n%s", b.pkg, err, out)
		}
	}
	return t, nil
}

// Contestants are idemgen and its peers.
func (t Tools) Contestants() []Contestant {
	all := func(tree Tree) []string {
		var dirs []string
		for i := range tree.Packages {
			dirs = append(dirs, fmt.Sprintf("./p%04d", i))
		}
		return dirs
	}
	contestants := []Contestant{
		{Name: "idemgen", Output: "idem_gen.go", Command: func(Tree) []string { return []string{t.Idemgen, "gen", "./..."} }},
		{Name: "goverter", Output: "converter_gen.go", All: true, Max: 200, Command: func(tree Tree) []string {
			return append([]string{t.Goverter, "gen"}, all(tree)...)
		}},
		{Name: "mockery", Output: "mock_gen.go", All: true, Max: 200, Command: func(Tree) []string { return []string{t.Mockery} }},
		{Name: "moq, per package", Output: "moq_gen.go", All: true, Max: 10, Command: func(tree Tree) []string {
			var script strings.Builder
			for _, d := range all(tree) {
				fmt.Fprintf(&script, "(cd %s && %s -out moq_gen.go . API) || exit 1\n", d, t.Moq)
			}
			return []string{"sh", "-c", script.String()}
		}},
	}
	for i := range contestants {
		contestants[i].measure = t.Measure
	}
	return contestants
}

// Clean removes what a contestant wrote.
func (c Contestant) Clean(t Tree) error {
	files, err := filepath.Glob(filepath.Join(t.Dir, "*", c.Output))
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	return err
}

// Run generates once and looks whether everything was written. An empty cache is the
// folder that a cold build cache is made in.
func (c Contestant) Run(ctx context.Context, t Tree, cache string) (u used.Used, err error) {
	if err := c.Clean(t); err != nil {
		return u, err
	}
	report, err := os.CreateTemp("", "idemgen-bench-")
	if err != nil {
		return u, err
	}
	defer func() { _ = report.Close(); _ = os.Remove(report.Name()) }()
	cmd := exec.CommandContext(ctx, c.measure, c.Command(t)...)
	cmd.Dir = t.Dir
	cmd.ExtraFiles = []*os.File{report}
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return u, fmt.Errorf("%s: %w\n%s", c.Name, err, said.Bytes())
	}
	text, err := os.ReadFile(report.Name())
	if err != nil {
		return u, err
	}
	if err := json.Unmarshal(text, &u); err != nil {
		return u, fmt.Errorf("%s was not measured: %q: %w", c.Name, text, err)
	}
	if u.Wall <= 0 || u.PeakBytes <= 0 {
		return u, fmt.Errorf("%s was not measured: %+v", c.Name, u)
	}
	want := t.Annotated
	if c.All {
		want = t.Packages
	}
	written, err := filepath.Glob(filepath.Join(t.Dir, "*", c.Output))
	if err == nil && len(written) != want {
		err = fmt.Errorf("%s wrote %d files of %d\n%s", c.Name, len(written), want, said.Bytes())
	}
	return u, err
}

// Floor is what reading and parsing every file of a tree takes, by one goroutine, and
// what looking at their bytes does.
func Floor(t Tree) (parse, scan time.Duration, err error) {
	began := time.Now()
	fset := token.NewFileSet()
	err = goFiles(t, func(path string) error {
		_, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		return err
	})
	parse = time.Since(began)
	began = time.Now()
	n := 0
	scanned := goFiles(t, func(path string) error {
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("//idem:")) {
			n++
		}
		return err
	})
	if err == nil {
		err = scanned
	}
	return parse, time.Since(began), err
}

func goFiles(t Tree, do func(path string) error) error {
	return filepath.WalkDir(t.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		return do(path)
	})
}
