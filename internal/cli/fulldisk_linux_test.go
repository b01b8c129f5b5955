package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/internal/servers"
)

// TestLaw_G6_FullDisk: on a disk without room the error names the file, every file is
// old, and nothing of a temporary one stays; with room again the same run succeeds.
func TestLaw_G6_FullDisk(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mount("tmpfs", root, "tmpfs", 0, "size=256k"); err != nil {
		servers.NotRun(t, fmt.Errorf("no small disk can be mounted here: %w", err))
	}
	t.Cleanup(func() { _ = syscall.Unmount(root, syscall.MNT_DETACH) })
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/full\n\ngo 1.26\n")
	const source = "package %s\n\n//idem:once key=id orphan=hold\nfunc Pay(id string) error { return nil }\n"
	write("a/a.go", fmt.Sprintf(source, "a"))
	write("b/b.go", fmt.Sprintf(source, "b"))
	run := func(args ...string) (int, string) {
		var out, said bytes.Buffer
		code := Run(t.Context(), Env{Dir: root, Stdout: &out, Stderr: &said}, args)
		return code, said.String()
	}
	fill := func() (free func()) {
		f, err := os.Create(filepath.Join(root, "filler"))
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		_ = f.Close()
		return func() { _ = os.Remove(f.Name()) }
	}
	for _, c := range []struct {
		args []string
		says string // a part of the error
		made []string
	}{
		{[]string{"gen", "./..."}, "idem_gen.go", []string{"a/idem_gen.go", "b/idem_gen.go"}},
		{[]string{"init", "./c"}, "c/", []string{"c/doc.go", "c/cashier.go", "c/idem_gen.go"}},
	} {
		free := fill()
		code, said := run(c.args...)
		if code != exitFailed || !strings.Contains(filepath.ToSlash(said), c.says) || !strings.Contains(said, "no space left") {
			t.Errorf("%s: exit %d, %q", c.args, code, said)
		}
		left, err := filepath.Glob(filepath.Join(root, "*", "*idem*"))
		if err != nil || c.args[0] == "gen" && len(left) > 0 {
			t.Errorf("%s: %q are left, %v", c.args, left, err)
		}
		for _, f := range c.made {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(f))); err == nil {
				t.Errorf("%s: %s is there", c.args, f)
			}
		}
		free()
		if c.args[0] != "gen" {
			continue // init needs idemgen in go.mod
		}
		if code, said := run(c.args...); code != exitOK {
			t.Errorf("%s, with room: exit %d, %s", c.args, code, said)
		}
		for _, f := range c.made {
			if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(f))); err != nil || info.Size() == 0 {
				t.Errorf("%s: %s: %v", c.args, f, err)
			}
		}
	}
}
