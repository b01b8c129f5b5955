package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/internal/golden"
	"github.com/idemgen/idemgen/internal/servers"
)

// disk is a module on a small disk of its own.
type disk struct {
	*testing.T
	root string
}

// newDisk mounts one with two guarded packages and a machine.
func newDisk(t *testing.T) disk {
	t.Helper()
	d := disk{t, t.TempDir()}
	if err := syscall.Mount("tmpfs", d.root, "tmpfs", 0, "size=256k"); err != nil {
		servers.NotRun(t, fmt.Errorf("no small disk can be mounted here: %w", err))
	}
	t.Cleanup(func() { _ = syscall.Unmount(d.root, syscall.MNT_DETACH) })
	d.write("go.mod", "module example.com/full\n\ngo 1.26\n")
	const source = "package %s\n\n//idem:once key=id orphan=hold\nfunc Pay(id string) error { return nil }\n"
	d.write("a/a.go", fmt.Sprintf(source, "a"))
	d.write("b/b.go", fmt.Sprintf(source, "b"))
	d.write("m/m.go", "package m\n\n//idem:statemachine table=orders key=id column=status initial=Made final=Paid\n//idem:transition Pay Made -> Paid\ntype Status string\n\nconst (\n\tMade Status = \"MADE\"\n\tPaid Status = \"PAID\"\n)\n")
	return d
}

func (d disk) write(name, text string) {
	d.Helper()
	path := filepath.Join(d.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		d.Fatal(err)
	}
}

// run runs the command on the disk.
func (d disk) run(args ...string) (code int, said string) {
	var out, errs bytes.Buffer
	code = Run(d.Context(), Env{Dir: d.root, Stdout: &out, Stderr: &errs}, args)
	return code, errs.String()
}

// fill leaves no room.
func (d disk) fill() (free func()) {
	f, err := os.Create(filepath.Join(d.root, "filler"))
	if err != nil {
		d.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	_ = f.Close()
	return func() { _ = os.Remove(f.Name()) }
}

// writers are the commands that write, with the file that a failure names.
var writers = []struct {
	args string
	says string
	made []string
}{
	{"gen ./...", "idem_gen.go", []string{"a/idem_gen.go", "b/idem_gen.go", "m/idem_gen.go"}},
	{"schema -dialect=mysql -o=guards.sql ./m", "guards.sql", []string{"guards.sql"}},
	{"graph -o=status.mmd ./m", "status.mmd", []string{"status.mmd"}},
	{"init ./c", "c/", nil}, // needs idemgen in go.mod to end well
}

// TestLaw_G6_FullDisk: on a disk without room the error names the file, every file is
// old, and nothing of a temporary one stays; with room again the same run succeeds.
func TestLaw_G6_FullDisk(t *testing.T) {
	d := newDisk(t)
	for _, c := range writers {
		free := d.fill()
		before := d.tree()
		code, said := d.run(strings.Fields(c.args)...)
		if code != exitFailed || !strings.Contains(filepath.ToSlash(said), c.says) || !strings.Contains(said, "no space left") {
			t.Errorf("%s: exit %d, %q", c.args, code, said)
		}
		if changed := before.Changed(d.tree(), true); len(changed) > 0 {
			t.Errorf("%s: %q are not as they were", c.args, changed)
		}
		free()
		d.succeeds(c.args, c.made)
	}
}

// TestLaw_G6_ReadOnlyDisk: the same of a disk, or of folders, that can't be written.
func TestLaw_G6_ReadOnlyDisk(t *testing.T) {
	d := newDisk(t)
	remount := func(flags uintptr) {
		t.Helper()
		if err := syscall.Mount("tmpfs", d.root, "tmpfs", syscall.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range writers {
		remount(syscall.MS_RDONLY)
		before := d.tree()
		code, said := d.run(strings.Fields(c.args)...)
		if code != exitFailed || !strings.Contains(filepath.ToSlash(said), c.says) && c.made != nil || !strings.Contains(said, "read-only") {
			t.Errorf("%s: exit %d, %q", c.args, code, said)
		}
		if changed := before.Changed(d.tree(), true); len(changed) > 0 {
			t.Errorf("%s: %q are not as they were", c.args, changed)
		}
		remount(0)
		d.succeeds(c.args, c.made)
	}
}

func (d disk) tree() golden.Tree {
	d.Helper()
	tree, err := golden.ReadTree(d.root)
	if err != nil {
		d.Fatal(err)
	}
	return tree
}

// succeeds runs the command where nothing is in its way any more.
func (d disk) succeeds(line string, made []string) {
	d.Helper()
	if made == nil {
		return
	}
	if code, said := d.run(strings.Fields(line)...); code != exitOK {
		d.Errorf("%s, with room: exit %d, %s", line, code, said)
	}
	for _, f := range made {
		if info, err := os.Stat(filepath.Join(d.root, filepath.FromSlash(f))); err != nil || info.Size() == 0 {
			d.Errorf("%s: %s: %v", line, f, err)
		}
	}
}
