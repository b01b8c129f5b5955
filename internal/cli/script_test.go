package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idemgen/idemgen/internal/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"idemgen": func() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the command as users do, one script per behaviour. Each works
// in a module example.com/shop that requires this repository.
//
//	snapshot            remembers every file below $WORK
//	unchanged           fails if one changed since, in bytes, mode or time
//	edit FILE OLD NEW   replaces a text that occurs once
func TestScripts(t *testing.T) {
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	fillCache(t, repository)
	goenv := settings(t, "GOMODCACHE", "GOCACHE", "GOROOT")
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, goenv...)
			env.Vars = append(env.Vars, "GOPROXY=off", "GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "GOTOOLCHAIN=local", "GONOSUMDB=*", "GOSUMDB=off")
			env.Values[snapshotKey{}] = new(golden.Tree)
			return writeModule(env.WorkDir, repository)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"snapshot":  snapshot,
			"unchanged": unchanged,
			"edit":      edit,
		},
	})
}

// fillCache has every module of the repository's whole graph in the cache, as a build
// of it needs only a part: scripts are offline, and a new machine's cache is empty.
func fillCache(t *testing.T, repository string) {
	t.Helper()
	for _, args := range [][]string{{"list", "-m", "all"}, {"mod", "download"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = repository
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// settings are settings of the go command in the form of an environment.
func settings(t *testing.T, names ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range values {
		values[i] = names[i] + "=" + values[i]
	}
	return values
}

// writeModule puts a module around the files of a script that brings none.
func writeModule(dir, repository string) error {
	gomod := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(gomod); err == nil {
		return nil
	}
	text := fmt.Sprintf("module example.com/shop\n\ngo 1.26\n\ntool github.com/idemgen/idemgen/cmd/idemgen\n\nrequire github.com/idemgen/idemgen v0.1.0\n\nreplace github.com/idemgen/idemgen => %s\n", repository)
	if err := os.WriteFile(gomod, []byte(text), 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644); err != nil {
		return err
	}
	// What the tool requires is written down once, so that no run of a script
	// changes go.mod.
	cmd := exec.Command("go", "get", "tool")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "GONOSUMDB=*", "GOSUMDB=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go get tool: %w\n%s", err, out)
	}
	return nil
}

// snapshotKey is where a script keeps its last snapshot.
type snapshotKey struct{}

func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: snapshot")
	}
	t, err := golden.ReadTree(ts.Getenv("WORK"))
	ts.Check(err)
	*ts.Value(snapshotKey{}).(*golden.Tree) = t
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: unchanged")
	}
	now, err := golden.ReadTree(ts.Getenv("WORK"))
	ts.Check(err)
	before := *ts.Value(snapshotKey{}).(*golden.Tree)
	if before == nil {
		ts.Fatalf("no snapshot was taken")
	}
	if c := before.Changed(now, true); len(c) > 0 {
		ts.Fatalf("changed: %q", c)
	}
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	file := ts.MkAbs(args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	if n := bytes.Count(data, []byte(args[1])); n != 1 {
		ts.Fatalf("%q occurs %d times in %s", args[1], n, args[0])
	}
	ts.Check(os.WriteFile(file, bytes.Replace(data, []byte(args[1]), []byte(args[2]), 1), 0o644))
}
