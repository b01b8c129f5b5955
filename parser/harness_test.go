package parser

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

var update = flag.Bool("update", false, "rewrite the wanted diagnostics in testdata")

// write puts files below dir; names end in the files' paths.
func write(t *testing.T, dir string, files ...txtar.File) {
	t.Helper()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// module writes a module example.com/m of a txtar text and returns its folder.
func module(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	ar := txtar.Parse([]byte(text))
	if !slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return f.Name == "go.mod" }) {
		ar.Files = append(ar.Files, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n\ngo 1.26\n")})
	}
	write(t, dir, ar.Files...)
	return dir
}

// parse parses ./... of a folder.
func parse(t *testing.T, dir string, tags ...string) (*Result, []diag.Diagnostic) {
	t.Helper()
	return Parse(context.Background(), Config{Dir: dir, Patterns: []string{"./..."}, Tags: tags})
}

// one parses a module with one annotated package and no faults.
func one(t *testing.T, text string, tags ...string) *model.Package {
	t.Helper()
	res, diags := parse(t, module(t, text), tags...)
	if len(diags) > 0 {
		t.Fatalf("unexpected diagnostics:\n%s", diag.Text(diags, ""))
	}
	if len(res.Packages) != 1 {
		t.Fatalf("%d packages, want 1", len(res.Packages))
	}
	return res.Packages[0]
}

// golden runs every folder of testdata/name.txtar, in one module and one run,
// and compares the diagnostics of each with its file want, where positions have
// their true lines and columns, and the model with its file model. A folder
// without want must have no diagnostics.
func golden(t *testing.T, name string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txtar")
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, wantModel := map[string]string{}, map[string]string{}
	var folders []string
	dir := t.TempDir()
	write(t, dir, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n\ngo 1.26\n")})
	for _, f := range ar.Files {
		folder, base, _ := strings.Cut(f.Name, "/")
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		if base == "want" {
			want[folder] = string(f.Data)
			continue
		}
		if base == "model" {
			wantModel[folder] = string(f.Data)
			continue
		}
		write(t, dir, f)
	}
	res, diags := parse(t, dir)
	got, gotModel := map[string]string{}, map[string]string{}
	for _, p := range res.Packages {
		rel, err := filepath.Rel(dir, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		folder, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		gotModel[folder] += dump(p)
	}
	for _, d := range diags {
		folder, _, _ := strings.Cut(filepath.ToSlash(d.Pos.File), "/")
		if !slices.Contains(folders, folder) {
			t.Errorf("diagnostic of no case: %s", diag.Text([]diag.Diagnostic{d}, ""))
		}
		got[folder] += diag.Text([]diag.Diagnostic{d}, folder)
	}
	if *update {
		rewrite(t, file, ar, folders, map[string]map[string]string{"want": got, "model": gotModel})
		return
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			if d := cmp.Diff(want[folder], got[folder]); d != "" {
				t.Errorf("diagnostics differ (-want +got):\n%s", d)
			}
			if wantModel[folder] == "" {
				return
			}
			if d := cmp.Diff(wantModel[folder], gotModel[folder]); d != "" {
				t.Errorf("model differs (-want +got):\n%s", d)
			}
		})
	}
}

// rewrite puts what was got into the archive: want where there are diagnostics,
// model where the archive has one already.
func rewrite(t *testing.T, file string, ar *txtar.Archive, folders []string, got map[string]map[string]string) {
	t.Helper()
	hadModel := map[string]bool{}
	var out []txtar.File
	for _, f := range ar.Files {
		folder, base, _ := strings.Cut(f.Name, "/")
		hadModel[folder] = hadModel[folder] || base == "model"
		if base != "want" && base != "model" {
			out = append(out, f)
		}
	}
	for _, folder := range folders {
		for _, name := range []string{"want", "model"} {
			text := got[name][folder]
			if text == "" || name == "model" && !hadModel[folder] {
				continue
			}
			inside := func(f txtar.File) bool { return strings.HasPrefix(f.Name, folder+"/") }
			at := slices.IndexFunc(out, inside)
			for at >= 0 && at < len(out) && inside(out[at]) {
				at++
			}
			out = slices.Insert(out, max(at, 0), txtar.File{Name: folder + "/" + name, Data: []byte(text)})
		}
	}
	ar.Files = out
	if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
		t.Fatal(err)
	}
}
