package golden

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/parser/diag"
	"golang.org/x/tools/txtar"
)

func archive(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".txtar")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLoadTakesAnArchiveApart(t *testing.T) {
	s, err := Load(archive(t, "once_x", "What is right.\n\n-- flags --\n-tags=a\n-- setup --\ncrlf p/p.go\n\n-- p/p.go --\npackage p\n-- want/p/idem_gen.go --\nout\n-- want.stdout --\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "once_x" || s.Negative() || s.OwnModule() || !slices.Equal(s.Flags, []string{"-tags=a"}) || len(s.Input) != 1 ||
		string(s.Want["p/idem_gen.go"]) != "out\n" || s.Stdout == nil || !slices.Equal(s.Packages, []string{"./..."}) {
		t.Errorf("%+v", s)
	}
	dir := t.TempDir()
	if err := s.Extract(dir, "/repo"); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "p", "p.go")); string(data) != "package p\r\n" {
		t.Errorf("setup: %q", data)
	}
}

func TestLoadRefusesMalformedArchives(t *testing.T) {
	for text, want := range map[string]string{
		"-- p.go --\npackage p\n":                               "comment",
		"c\n-- flags --\n-v\n":                                  "no input",
		"c\n-- p.go --\n-- p.go --\n":                           "two files p.go",
		"c\n-- ../p.go --\n":                                    "leaves the scenario",
		"c\n-- p.go --\n-- want.dig --\n":                       "unknown section want.dig",
		"c\n-- p.go --\npackage p\n-- want/idem_gen.go --\nx\n": "leaves no output",
	} {
		if _, err := Load(archive(t, "err_x", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestUpdateKeepsTheOrderAndDropsWhatIsNotWanted(t *testing.T) {
	file := archive(t, "x", "c\n-- want/b/idem_gen.go --\nold\n-- p.go --\npackage p\n-- want/gone/idem_gen.go --\nold\n-- want.diag --\nold\n")
	s, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(map[string][]byte{"b/idem_gen.go": []byte("new\n"), "a/idem_gen.go": []byte("new\n")}, nil, nil); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(file)
	if want := "c\n-- want/b/idem_gen.go --\nnew\n-- p.go --\npackage p\n-- want/a/idem_gen.go --\nnew\n"; string(got) != want {
		t.Errorf("got\n%s", got)
	}
}

func TestChangedSeesBytesModesAndTimes(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"bytes", "mode", "touched", "same", "gone"} {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, err := ReadTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	old := before["touched"].Time.Add(-1e9)
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "bytes"), []byte("x"), 0o644), os.Chmod(filepath.Join(dir, "mode"), 0o600),
		os.Chtimes(filepath.Join(dir, "touched"), old, old), os.Remove(filepath.Join(dir, "gone")), os.WriteFile(filepath.Join(dir, "new"), nil, 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	after, err := ReadTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := before.Changed(after, true); !slices.Equal(got, []string{"bytes", "gone", "mode", "new", "touched"}) {
		t.Errorf("with times: %q", got)
	}
	if got := before.Changed(after, false); !slices.Equal(got, []string{"bytes", "gone", "mode", "new"}) {
		t.Errorf("without: %q", got)
	}
}

// TestEveryCodeHasAScenario: whatever the command can report is reported somewhere in
// testdata/golden or in a script of the command.
func TestEveryCodeHasAScenario(t *testing.T) {
	var said bytes.Buffer
	for _, pattern := range []string{"../../testdata/golden/*.txtar", "../cli/testdata/script/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, name := range files {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(pattern, "script") {
				said.Write(a.Comment)
			}
			for _, f := range a.Files {
				if f.Name == "want.diag" {
					said.Write(f.Data)
				}
			}
		}
	}
	for _, i := range diag.Codes() {
		switch {
		case i.Code == diag.CodeInternal: // a fault of the generator itself: app_test.go of the command
		case !bytes.Contains(said.Bytes(), []byte(i.Code)):
			t.Errorf("%s (%s): no scenario and no script raises it", i.Code, i.Title)
		}
	}
}
