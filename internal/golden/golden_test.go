package golden

import (
	"bytes"
	"context"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/imports"

	"github.com/idemgen/idemgen/internal/cli"
)

var (
	update = flag.Bool("update", false, "rewrite what the scenarios want")
	keep   = flag.String("keep", "", "leave the module with all positive scenarios in this `folder`")
)

// TestGolden generates every scenario, compares, and then builds, vets and runs
// all that came out: one module, one build for each set of flags.
func TestGolden(t *testing.T) {
	repository, scenarios := load(t)
	root := *keep
	if root == "" {
		root = t.TempDir()
	}
	if err := writeModule(root, repository); err != nil {
		t.Fatal(err)
	}
	good := make([]bool, len(scenarios))
	t.Run("generate", func(t *testing.T) {
		for i, s := range scenarios {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				good[i] = generate(t, s, scenarioDir(t, root, s), repository)
			})
		}
	})
	var built []*Scenario
	for i, s := range scenarios {
		if good[i] && !s.Negative() {
			built = append(built, s)
		}
	}
	t.Run("again", func(t *testing.T) { again(t, root, built) })
	t.Run("build", func(t *testing.T) { build(t, root, built) })
	if testing.Verbose() {
		for _, code := range Uncovered(scenarios) {
			t.Logf("no scenario wants %s", code)
		}
	}
}

// load reads all archives; a malformed one fails the test and the others go on.
func load(t *testing.T) (repository string, scenarios []*Scenario) {
	t.Helper()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(repository, "testdata", "golden", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	for _, file := range files {
		s, err := Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		scenarios = append(scenarios, s)
	}
	return repository, scenarios
}

// scenarioDir is where a scenario lives: in the common module if it wants output
// and brings no module of its own, else by itself.
func scenarioDir(t *testing.T, root string, s *Scenario) string {
	t.Helper()
	dir := filepath.Join(root, s.Name)
	if s.Negative() || s.OwnModule() {
		alone := t.TempDir()
		dir = filepath.Join(alone, s.Name)
		if !s.OwnModule() {
			if err := writeModule(alone, filepath.Dir(filepath.Dir(filepath.Dir(s.File)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run is the command in the scenario's folder.
func run(s *Scenario, dir, command string, packages []string) (code int, stdout, stderr []byte) {
	var out, errs bytes.Buffer
	args := slices.Concat([]string{command}, s.Flags, packages)
	code = cli.Run(context.Background(), cli.Env{Dir: dir, Stdout: &out, Stderr: &errs}, args)
	return code, out.Bytes(), errs.Bytes()
}

// generate runs one scenario and compares everything but the program's output.
// It tells whether what came out can be built.
func generate(t *testing.T, s *Scenario, dir, repository string) bool {
	if err := s.Extract(dir, repository); err != nil {
		t.Fatal(err)
	}
	before := readTree(t, dir)
	code, stdout, stderr := run(s, dir, "gen", s.Packages)
	after := readTree(t, dir)

	if len(stdout) > 0 {
		t.Errorf("gen printed on standard output:\n%s", stdout)
	}
	if s.Negative() {
		if code == 0 {
			t.Errorf("gen exited 0, wanted diagnostics; stderr:\n%s", stderr)
			return false
		}
		if c := before.Changed(after, true); len(c) > 0 {
			t.Errorf("a run with errors touched %q", c)
		}
		if *update {
			updateWants(t, s, nil, stderr, nil)
		} else if !bytes.Equal(stderr, s.Diag) {
			t.Errorf("diagnostics differ\n%s", diff.Diff("want.diag", s.Diag, "got", stderr))
		}
		return false
	}
	if code != 0 {
		t.Errorf("gen exited %d:\n%s", code, stderr)
		return false
	}
	outputs := after.Outputs()
	for _, name := range before.Changed(after, false) {
		if !IsOutput(name) {
			t.Errorf("gen touched %s", name)
		}
	}
	if *update {
		updateWants(t, s, outputs, stderr, s.Stdout)
	} else {
		compare(t, s, outputs, stderr)
	}
	clean(t, dir, outputs)
	if code, stdout, stderr := run(s, dir, "check", s.Packages); code != 0 {
		t.Errorf("check behind gen exited %d\n%s%s", code, stdout, stderr)
	}
	formatted(t, s, dir, outputs)
	if s.OwnModule() {
		buildIn(t, dir, []*Scenario{s}, func(*Scenario) string { return "." })
	}
	return true
}

func compare(t *testing.T, s *Scenario, outputs map[string][]byte, stderr []byte) {
	t.Helper()
	if !bytes.Equal(stderr, s.Diag) {
		t.Errorf("diagnostics differ\n%s", diff.Diff("want.diag", s.Diag, "got", stderr))
	}
	for _, name := range sortedKeys(outputs) {
		if want, ok := s.Want[name]; !ok {
			t.Errorf("unwanted output %s (add it with -update):\n%s", name, outputs[name])
		} else if !bytes.Equal(want, outputs[name]) {
			t.Errorf("output differs\n%s", diff.Diff("want/"+name, want, name, outputs[name]))
		}
	}
	for _, name := range sortedKeys(s.Want) {
		if _, ok := outputs[name]; !ok {
			t.Errorf("want/%s was not generated", name)
		}
	}
}

func updateWants(t *testing.T, s *Scenario, outputs map[string][]byte, stderr, stdout []byte) {
	t.Helper()
	if err := s.Update(outputs, stderr, stdout); err != nil {
		t.Fatal(err)
	}
}

// clean holds the output to what other tools would make of it (G8).
func clean(t *testing.T, dir string, outputs map[string][]byte) {
	t.Helper()
	for _, name := range sortedKeys(outputs) {
		src := outputs[name]
		if out, err := format.Source(src); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(out, src) {
			t.Errorf("gofmt changes the output\n%s", diff.Diff(name, src, "gofmt", out))
		}
		if out, err := imports.Process(filepath.Join(dir, filepath.FromSlash(name)), src, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(out, src) {
			t.Errorf("goimports changes the output\n%s", diff.Diff(name, src, "goimports", out))
		}
		if bytes.Contains(src, []byte("\n//idem:")) || bytes.Contains(src, []byte("\t//idem:")) {
			t.Errorf("%s contains a directive line", name)
		}
	}
}

// formatted runs gofmt over the input and generates once more: the output must
// not move (G8). The input is put back behind it.
func formatted(t *testing.T, s *Scenario, dir string, outputs map[string][]byte) {
	t.Helper()
	changed := false
	for _, f := range s.Input {
		if !strings.HasSuffix(f.Name, ".go") || IsOutput(f.Name) {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		old, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := format.Source(old)
		if err != nil || bytes.Equal(old, out) {
			continue
		}
		changed = true
		if err := os.WriteFile(name, out, 0o644); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(name, old, 0o644)
	}
	if !changed {
		return
	}
	if code, stdout, stderr := run(s, dir, "check", s.Packages); code != 0 {
		t.Errorf("gofmt of the input changes the output\n%s%s", stdout, stderr)
	}
}

// again generates a second time, in other order and many scenarios at once: no
// byte and no modification time may change (G5).
func again(t *testing.T, root string, scenarios []*Scenario) {
	before := readTree(t, root)
	byFlags(scenarios, func(flags []string, group []*Scenario) {
		var packages []string
		for _, s := range slices.Backward(group) {
			for _, p := range slices.Backward(s.Packages) {
				packages = append(packages, "./"+s.Name+strings.TrimPrefix(p, "."))
			}
		}
		if len(packages) == 0 {
			return
		}
		all := &Scenario{Flags: flags}
		if code, _, stderr := run(all, root, "gen", packages); code != 0 {
			t.Errorf("gen of all scenarios with flags %q exited %d:\n%s", flags, code, stderr)
		}
	})
	if c := before.Changed(readTree(t, root), true); len(c) > 0 {
		t.Errorf("the second run changed %q", c)
	}
}

// byFlags calls f once for each set of flags among the scenarios of the common
// module, in order.
func byFlags(scenarios []*Scenario, f func(flags []string, group []*Scenario)) {
	groups := map[string][]*Scenario{}
	for _, s := range scenarios {
		if !s.OwnModule() {
			key := strings.Join(s.Flags, "\n")
			groups[key] = append(groups[key], s)
		}
	}
	for _, key := range sortedKeys(groups) {
		f(groups[key][0].Flags, groups[key])
	}
}

func readTree(t *testing.T, dir string) Tree {
	t.Helper()
	tree, err := ReadTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
