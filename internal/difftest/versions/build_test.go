package versions_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/internal/servers"
)

// workshop is where the programs of a test run are made; it is removed at the end.
var workshop string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if workshop, err = os.MkdirTemp("", "idemgen-versions-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(workshop)
		return servers.Main(m)
	}())
}

// versions builds both programs once and returns where they are: the first and the
// second version.
var versions = sync.OnceValues(func() ([2]string, error) {
	var out [2]string
	root, err := filepath.Abs("../../..")
	if err != nil {
		return out, err
	}
	generator := filepath.Join(workshop, "idemgen")
	if err := command(root, "go", "build", "-o", generator, "./cmd/idemgen"); err != nil {
		return out, err
	}
	for i, name := range []string{"v1", "v2"} {
		folder := filepath.Join(workshop, name)
		if err := compose(root, folder, name); err != nil {
			return out, err
		}
		// The generator only needs the package that is annotated.
		if err := command(folder, generator, "gen", "."); err != nil {
			return out, err
		}
		out[i] = filepath.Join(workshop, "shop-"+name)
		args := append([]string{"build"}, buildFlags...)
		if err := command(folder, "go", append(args, "-o", out[i], "./cmd/shop")...); err != nil {
			return out, err
		}
	}
	return out, nil
})

// compose lays the sources of a version into a module of its own. It has the
// requirements of this module, and with them the same modules of this repository.
func compose(root, folder, name string) error {
	for _, from := range []string{"testdata/common", "testdata/" + name} {
		if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
			return err
		}
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		return err
	}
	text := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module example.com/shop")
	text = strings.ReplaceAll(text, "=> ../..", "=> "+filepath.ToSlash(root))
	sum, err := os.ReadFile("../go.sum")
	return errors.Join(err,
		os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o666),
		os.WriteFile(filepath.Join(folder, "go.sum"), sum, 0o666))
}

// command runs a program in a folder.
func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// build returns the programs.
func build(t *testing.T) [2]string {
	t.Helper()
	programs, err := versions()
	if err != nil {
		t.Fatal(err)
	}
	return programs
}
