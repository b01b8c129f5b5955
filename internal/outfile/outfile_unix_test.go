//go:build unix

package outfile

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

const ours = model.Header + "\n\npackage p\n"

func write(t *testing.T, name, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// entries are the names in a folder, dot files included.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestCompareSortsChangesAndLeavesCurrentFilesOut(t *testing.T) {
	dir := t.TempDir()
	stale := write(t, filepath.Join(dir, "b", "idem_gen.go"), ours)
	current := write(t, filepath.Join(dir, "c", "idem_gen.go"), ours)
	orphan := write(t, filepath.Join(dir, "a", "idem_gen.go"), ours)
	missing := filepath.Join(dir, "d", "idem_gen.go")
	changes, problems := Compare([]model.File{
		{Path: missing, Content: []byte(ours)},
		{Path: current, Content: []byte(ours)},
		{Path: stale, Content: []byte(ours + "//\n")},
		{Path: orphan, Remove: true},
		{Path: filepath.Join(dir, "gone.go"), Remove: true},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, c := range changes {
		got = append(got, c.State.String()+" "+filepath.Base(filepath.Dir(c.Path)))
	}
	if want := []string{"orphaned a", "stale b", "missing d"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLaw_G6_CompareRefusesWhatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder", "idem_gen.go")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	target := write(t, filepath.Join(dir, "target.go"), ours)
	link := filepath.Join(dir, "link.go")
	if err := os.Symlink("target.go", link); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "fifo.go")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	hand := write(t, filepath.Join(dir, "hand.go"), "package p\n")
	parent := filepath.Join(target, "idem_gen.go")
	for path, code := range map[string]diag.Code{
		folder: diag.CodeWrite, link: diag.CodeWrite, fifo: diag.CodeWrite, hand: diag.CodeNotOurs, parent: diag.CodeRead,
	} {
		for _, remove := range []bool{false, true} {
			changes, problems := Compare([]model.File{{Path: path, Content: []byte(ours + "// new\n"), Remove: remove}})
			if len(changes) > 0 || len(problems) != 1 || problems[0].Code != code || problems[0].Pos.File != path {
				t.Errorf("%s (remove %v): changes %v, problems %v", path, remove, changes, problems)
			}
		}
	}
	if changes, problems := Compare([]model.File{{Path: link, Content: []byte(ours)}}); len(changes)+len(problems) > 0 {
		t.Errorf("a link to current bytes: %v %v", changes, problems)
	}
}

func TestApplyKeepsModesAndLeavesNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	stale := write(t, filepath.Join(dir, "a.go"), ours)
	if err := os.Chmod(stale, 0o640); err != nil {
		t.Fatal(err)
	}
	orphan := write(t, filepath.Join(dir, "b.go"), ours)
	fresh := filepath.Join(dir, "c.go")
	old := write(t, filepath.Join(dir, tempPrefix+"LEFTOVER"+tempSuffix), "half")
	long := time.Now().Add(-2 * tempStale)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, tempPrefix+"RUNNING"+tempSuffix), "of a run beside this one")
	changes, problems := Compare([]model.File{
		{Path: stale, Content: []byte(ours + "// 2\n")}, {Path: orphan, Remove: true}, {Path: fresh, Content: []byte(ours)},
	})
	if problems != nil {
		t.Fatal(problems)
	}
	if failed := (Writer{}).Apply(changes); failed != nil {
		t.Fatal(failed)
	}
	if got, want := entries(t, dir), []string{tempPrefix + "RUNNING" + tempSuffix, "a.go", "c.go"}; !slices.Equal(got, want) {
		t.Errorf("folder holds %q, want %q", got, want)
	}
	if info, _ := os.Stat(stale); info.Mode().Perm() != 0o640 || read(t, stale) != ours+"// 2\n" {
		t.Errorf("mode %v, content %q", info.Mode(), read(t, stale))
	}
	probe := write(t, filepath.Join(dir, "probe"), "")
	want, _ := os.Stat(probe)
	if info, _ := os.Stat(fresh); info.Mode() != want.Mode() {
		t.Errorf("a new file has mode %v, other programs make %v", info.Mode(), want.Mode())
	}
}

func TestLaw_G6_FailureWhilePreparingLeavesEveryFileOld(t *testing.T) {
	dir := t.TempDir()
	a := write(t, filepath.Join(dir, "a", "idem_gen.go"), ours)
	orphan := write(t, filepath.Join(dir, "o", "idem_gen.go"), ours)
	// The folder of the second target is gone by now: its temporary file can't be made.
	lost := filepath.Join(dir, "lost", "idem_gen.go")
	failed := Writer{}.Apply([]Change{
		{Path: a, State: Stale, Old: []byte(ours), New: []byte("new"), Mode: 0o644},
		{Path: lost, State: Missing, New: []byte("new")},
		{Path: orphan, State: Orphan, Old: []byte(ours)},
	})
	if len(failed) != 1 || failed[0].Code != diag.CodeWrite || failed[0].Pos.File != lost {
		t.Errorf("failures: %v", failed)
	}
	if read(t, a) != ours || read(t, orphan) != ours {
		t.Error("a file was touched")
	}
	if got := entries(t, filepath.Dir(a)); !slices.Equal(got, []string{"idem_gen.go"}) {
		t.Errorf("left behind: %q", got)
	}
}

func TestLaw_G6_FailureWhileRenamingRemovesNothing(t *testing.T) {
	dir := t.TempDir()
	a, b := write(t, filepath.Join(dir, "a.go"), ours), write(t, filepath.Join(dir, "b.go"), ours)
	orphan := write(t, filepath.Join(dir, "0.go"), ours)
	w := Writer{Rename: func(from, to string) error {
		if to == b {
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EIO}
		}
		return os.Rename(from, to)
	}}
	failed := w.Apply([]Change{
		{Path: orphan, State: Orphan, Old: []byte(ours)},
		{Path: a, State: Stale, New: []byte("new"), Mode: 0o644},
		{Path: b, State: Stale, New: []byte("new"), Mode: 0o644},
	})
	if len(failed) != 1 || failed[0].Pos.File != b {
		t.Errorf("failures: %v", failed)
	}
	if read(t, a) != "new" || read(t, b) != ours || read(t, orphan) != ours {
		t.Errorf("a %q, b %q, orphan %q", read(t, a), read(t, b), read(t, orphan))
	}
	if got := entries(t, dir); len(got) != 3 {
		t.Errorf("left behind: %q", got)
	}
}
