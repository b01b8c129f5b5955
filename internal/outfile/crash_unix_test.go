//go:build unix

package outfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

// TestLaw_G6_KillBetweenTwoFiles kills a real process at every point of a run.
func TestLaw_G6_KillBetweenTwoFiles(t *testing.T) {
	if dir := os.Getenv("OUTFILE_KILL_DIR"); dir != "" {
		killed(t, dir, os.Getenv("OUTFILE_KILL_AT"))
		return
	}
	const fresh = ours + "// new\n"
	names := []string{"a.go", "b.go", "c.go"}
	for i, at := range names {
		for _, when := range []string{"before ", "after "} {
			dir := t.TempDir()
			for _, n := range names {
				write(t, filepath.Join(dir, n), ours)
			}
			orphan := write(t, filepath.Join(dir, "orphan.go"), ours)
			cmd := exec.Command(os.Args[0], "-test.run=^TestLaw_G6_KillBetweenTwoFiles$")
			cmd.Env = append(os.Environ(), "OUTFILE_KILL_DIR="+dir, "OUTFILE_KILL_AT="+when+at)
			out, err := cmd.CombinedOutput()
			ee, ok := err.(*exec.ExitError)
			if !ok || ee.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%s%s: the child was not killed: %v\n%s", when, at, err, out)
			}
			done := i
			if when == "after " {
				done++
			}
			for k, n := range names {
				want := ours
				if k < done {
					want = fresh
				}
				if got := read(t, filepath.Join(dir, n)); got != want {
					t.Errorf("killed %s%s: %s is %q", when, at, n, got)
				}
			}
			if read(t, orphan) != ours {
				t.Errorf("killed %s%s: the orphan was touched", when, at)
			}
		}
	}
}

// killed is the child: it dies around the rename of one file.
func killed(t *testing.T, dir, at string) {
	when, name, _ := strings.Cut(at, " ")
	die := func() {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	w := Writer{Rename: func(from, to string) error {
		hit := filepath.Base(to) == name
		if hit && when == "before" {
			die()
		}
		err := os.Rename(from, to)
		if hit && when == "after" {
			die()
		}
		return err
	}}
	var files []model.File
	for _, n := range []string{"a.go", "b.go", "c.go"} {
		files = append(files, model.File{Path: filepath.Join(dir, n), Content: []byte(ours + "// new\n")})
	}
	changes, _ := Compare(append(files, model.File{Path: filepath.Join(dir, "orphan.go"), Remove: true}))
	t.Fatalf("survived: %v", w.Apply(changes))
}

func TestApplyInReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	readOnlyFolder(t)
}

func readOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	a := write(t, filepath.Join(dir, "a.go"), ours)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	failed := Writer{}.Apply([]Change{{Path: a, State: Stale, Old: []byte(ours), New: []byte("new"), Mode: 0o644}})
	if len(failed) != 1 || failed[0].Pos.File != a || !strings.Contains(failed[0].Message, "permission denied") {
		t.Errorf("failures: %v", failed)
	}
	if read(t, a) != ours {
		t.Error("the file was touched")
	}
}

// asNobody runs the test as a user whom permissions bind.
func asNobody(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) { // the way there must be open
		if info, err := os.Stat(d); err != nil || info.Mode().Perm()&0o001 == 0 {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	bin := filepath.Join(dir, "test")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bin, data, 0o755); err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-test.run=^TestApplyInReadOnlyFolder$", "-test.v")
	cmd.Dir = tmp
	cmd.Env = []string{"TMPDIR=" + tmp, "HOME=" + tmp}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}
