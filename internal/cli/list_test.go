package cli

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/golden"
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/templates"
)

// scenarioPackages are the packages of the golden scenarios with operations, all of
// them in one module.
func scenarioPackages(t *testing.T) []*model.Package {
	t.Helper()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	mod := "module " + golden.ModulePath + "\n\ngo 1.26.0\n\nrequire github.com/idemgen/idemgen v0.1.0\n\nreplace github.com/idemgen/idemgen => " + repository + "\n"
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte(mod), 0o644); err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.sum"), sum, 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(repository, "testdata", "golden", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	about := []string{"layer", "once", "fire", "func", "interface", "generics"}
	for _, file := range files {
		s, err := golden.Load(file)
		if err != nil || s.Negative() || s.OwnModule() || len(s.Flags) > 0 || !slices.Contains(about, strings.Split(s.Name, "_")[0]) {
			continue
		}
		if err := s.Extract(filepath.Join(root, s.Name), repository); err != nil {
			t.Fatal(err)
		}
	}
	parsed, diags := parser.Parse(t.Context(), parser.Config{Dir: root, Patterns: []string{"./..."}})
	if diag.HasErrors(diags) {
		t.Fatal(diag.Text(diags, root))
	}
	return parsed.Packages
}

// constructors are the parameters of each constructor in generated source, behind
// the wrapped value, as the names of their types in package idem.
func constructors(t *testing.T, src []byte) map[string][]string {
	t.Helper()
	file, err := goparser.ParseFile(token.NewFileSet(), "idem_gen.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		types := []string{}
		for _, p := range f.Type.Params.List {
			typ := p.Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			if index, ok := typ.(*ast.IndexExpr); ok {
				typ = index.X
			}
			if sel, ok := typ.(*ast.SelectorExpr); ok && slices.Contains(partTypes, sel.Sel.Name) {
				for range max(1, len(p.Names)) {
					types = append(types, sel.Sel.Name)
				}
			}
		}
		out[f.Name.Name] = types
	}
	return out
}

var partTypes = []string{"Engine", "RecordStore", "TxStore", "TokenStore", "Locker", "Violation"}

// needed are the parts that list names for a group of methods, in the order of partTypes.
func needed(methods ...*model.Method) []string {
	seen := map[listedPart]bool{}
	out := []string{}
	for _, row := range partTypes {
		for _, m := range methods {
			for _, p := range operation(place{}, "", m).Needs {
				name := strings.TrimPrefix(strings.TrimPrefix(p.Type, "*"), "idem.")
				name, _, _ = strings.Cut(name, "[")
				if name == row && !seen[p] {
					seen[p] = true
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// TestListNamesWhatConstructorsTake: for every golden scenario with operations, the
// parts that list names are the parameters of the generated constructor.
func TestListNamesWhatConstructorsTake(t *testing.T) {
	checked := map[string]int{}
	check := func(at string, got map[string][]string, constructor string, methods ...*model.Method) {
		t.Helper()
		found := ""
		for name := range got {
			if strings.EqualFold(name, constructor) {
				found = name
			}
		}
		want := needed(methods...)
		if found == "" || !slices.Equal(got[found], want) {
			t.Errorf("%s: constructor %s takes %q, list says %q", at, constructor, got[found], want)
		}
		for _, part := range want {
			checked[part]++
		}
	}
	for _, p := range scenarioPackages(t) {
		files, err := templates.Files(p)
		if err != nil {
			t.Fatal(p.Path, err)
		}
		got := constructors(t, files[0].Content)
		for _, s := range p.Services {
			check(p.Path, got, "NewIdempotent"+s.Name, s.Methods...)
		}
		for _, f := range p.Funcs {
			check(p.Path, got, "Idempotent"+f.Name, f)
		}
	}
	for _, part := range partTypes {
		if checked[part] == 0 {
			t.Errorf("no scenario needs %s", part)
		}
	}
}

func TestSpan(t *testing.T) {
	for ns, want := range map[int64]string{-1: "never", 24 * 3600e9: "24h", 30e9: "30s", 90e9: "1m30s", 60e9: "1m", 3600e9: "1h", 0: "0s", 3630e9: "1h0m30s", 10e6: "10ms"} {
		if got := span(ns); got != want {
			t.Errorf("span(%d) = %s, want %s", ns, got, want)
		}
	}
}
