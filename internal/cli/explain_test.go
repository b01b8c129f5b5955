package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/parser"
)

var update = flag.Bool("update", false, "write what the command prints as what is wanted")

// TestExplainExamples: what the command says of every guarded method, event and update
// of every example is a file of testdata/explain, and there is no other.
func TestExplainExamples(t *testing.T) {
	root, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		var out, said bytes.Buffer
		if code := Run(t.Context(), Env{Dir: root, Stdout: &out, Stderr: &said}, args); code != exitOK {
			t.Fatalf("%s: exit %d: %s", args, code, said.String())
		}
		return out.String()
	}
	opts, err := parseArgs([]string{"list", "./..."})
	if err != nil {
		t.Fatal(err)
	}
	opts.dir = root
	a := &app{cwd: root, stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), parse: parser.Parse}
	pkgs, _ := a.models(t.Context(), opts)
	all := explanations(pkgs)
	if len(all) < 30 {
		t.Fatalf("%d things are guarded in the examples", len(all))
	}
	want := map[string]bool{}
	dir := filepath.Join("testdata", "explain")
	for _, e := range all {
		pkg := strings.TrimPrefix(e.Package, "github.com/idemgen/idemgen/examples/")
		name := strings.ReplaceAll(pkg, "/", "_") + "." + e.Name + ".txt"
		want[name] = true
		got := run("explain", e.Package+"."+e.Name)
		path := filepath.Join(dir, name)
		if *update {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(have), "\r\n", "\n"), got); diff != "" {
			t.Errorf("%s (go test ./internal/cli -run %s -update; -have +got):\n%s", name, t.Name(), diff)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range entries {
		if want[f.Name()] {
			continue
		}
		if *update {
			_ = os.Remove(filepath.Join(dir, f.Name()))
			continue
		}
		t.Errorf("%s explains nothing that there is", f.Name())
	}
}

// TestExplainListsEverything: explain knows whatever list names.
func TestExplainListsEverything(t *testing.T) {
	root, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	opts, err := parseArgs([]string{"list", "./..."})
	if err != nil {
		t.Fatal(err)
	}
	opts.dir = root
	a := &app{cwd: root, stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), parse: parser.Parse}
	pkgs, _ := a.models(t.Context(), opts)
	l := a.listing(opts, pkgs)
	var listed, explained []string
	for _, o := range l.Operations {
		listed = append(listed, o.Package+"."+o.Name)
	}
	for _, g := range l.Guards {
		listed = append(listed, g.Package+"."+g.Name)
	}
	for _, e := range explanations(pkgs) {
		explained = append(explained, e.Package+"."+e.Name)
		if len(e.Layers) == 0 || len(e.Outcomes) == 0 || len(e.Crashes) == 0 || e.Consistency == "" {
			t.Errorf("%s: %+v", e.Name, e)
		}
	}
	slices.Sort(listed)
	slices.Sort(explained)
	if diff := cmp.Diff(listed, explained); diff != "" {
		t.Error(diff)
	}
}
