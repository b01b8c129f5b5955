package golden

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"
)

// programTime bounds one program of a scenario.
const programTime = 20 * time.Second

var goLine = regexp.MustCompile(`(?m)^go [0-9.]+`)

// writeModule makes the module that scenarios live in. It requires this
// repository and nothing else, so no build needs the network.
func writeModule(dir, repository string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	own, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		return err
	}
	// A module may not ask for an older Go than the one it requires.
	version := goLine.Find(own)
	mod := fmt.Sprintf("module %s\n\n%s\n\nrequire github.com/idemgen/idemgen v0.1.0\n\nreplace github.com/idemgen/idemgen => %s\n", ModulePath, version, repository)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644)
}

// build compiles, vets and runs the scenarios of the common module.
func build(t *testing.T, root string, scenarios []*Scenario) {
	byFlags(scenarios, func(flags []string, group []*Scenario) {
		buildIn(t, root, group, func(s *Scenario) string { return "./" + s.Name })
	})
}

// buildIn builds and vets a group of scenarios with the same flags at once, then
// runs those that are programs.
func buildIn(t *testing.T, dir string, group []*Scenario, folder func(*Scenario) string) {
	t.Helper()
	bin := t.TempDir()
	var tags, packages []string
	target := os.DevNull // with a folder, go build insists on a program
	for _, f := range group[0].Flags {
		if strings.HasPrefix(strings.TrimPrefix(f, "-"), "-tags") {
			tags = append(tags, f)
		}
	}
	for _, s := range group {
		packages = append(packages, folder(s)+"/...")
		if s.Stdout != nil {
			target = bin + "/"
		}
	}
	if !gocmd(t, dir, slices.Concat([]string{"build", "-trimpath", "-o", target}, tags, packages)) {
		return
	}
	gocmd(t, dir, slices.Concat([]string{"vet", "-trimpath"}, tags, packages))
	for _, s := range group {
		if s.Stdout == nil {
			continue
		}
		t.Run("run/"+s.Name, func(t *testing.T) {
			t.Parallel()
			program(t, s, binary(bin, s))
		})
	}
}

// binary is the program of a scenario. A module of its own names it by the module
// path.
func binary(bin string, s *Scenario) string {
	if files, err := filepath.Glob(filepath.Join(bin, "*")); err == nil && s.OwnModule() && len(files) == 1 {
		return files[0]
	}
	return filepath.Join(bin, s.Name)
}

// gocmd runs the go command; what it prints is the failure.
func gocmd(t *testing.T, dir string, args []string) bool {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", args[0], err, out)
		return false
	}
	return true
}

// program runs a built scenario and compares what it prints.
func program(t *testing.T, s *Scenario, file string) {
	ctx, cancel := context.WithTimeout(t.Context(), programTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, file)
	cmd.Dir = t.TempDir()
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("the program failed: %v\n%s%s", err, stdout.Bytes(), stderr.Bytes())
		return
	}
	if bytes.Equal(stdout.Bytes(), s.Stdout) {
		return
	}
	if *update {
		fresh, err := Load(s.File) // its other wants were rewritten before
		if err != nil {
			t.Fatal(err)
		}
		updateWants(t, fresh, fresh.Want, fresh.Diag, stdout.Bytes())
		return
	}
	t.Errorf("output differs\n%s", diff.Diff("want.stdout", s.Stdout, "got", stdout.Bytes()))
}
