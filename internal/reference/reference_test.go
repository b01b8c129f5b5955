package reference

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/runtime/idem"
)

var update = flag.Bool("update", false, "write docs/reference anew")

// TestPagesAreCurrent: docs/reference holds these pages and nothing else.
func TestPagesAreCurrent(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "reference")
	want := map[string]bool{}
	for _, p := range Pages() {
		want[p.File()] = true
		path := filepath.Join(dir, p.File())
		if *update {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, p.Markdown(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n"))), string(p.Markdown())); diff != "" {
			t.Errorf("%s is not current (go test ./internal/reference -update writes it; -have +want):\n%s", p.File(), diff)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !want[f.Name()] {
			t.Errorf("docs/reference/%s is no page of the reference", f.Name())
		}
	}
}

// TestEveryDirectiveHasAnExample that the scanner takes as it stands.
func TestEveryDirectiveHasAnExample(t *testing.T) {
	for _, s := range directive.Specs() {
		src := examples[s.Name]
		if src == "" {
			t.Errorf("%s has no example", s.Name)
			continue
		}
		fset := token.NewFileSet()
		text := "package p\n\n" + src + "\n"
		file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		attached, diags := directive.Scan(fset, file, []byte(text))
		for _, d := range diags {
			t.Errorf("%s: %v", s.Name, d)
		}
		found := false
		for _, a := range attached {
			found = found || a.Name == s.Name
		}
		if !found {
			t.Errorf("the example of %s does not show it", s.Name)
		}
	}
	for name := range examples {
		if _, ok := Directive(name); !ok {
			t.Errorf("an example of %s, which is no directive", name)
		}
	}
}

// TestErrorNamesExist: the names in the table of outcomes are variables of package idem.
func TestErrorNamesExist(t *testing.T) {
	vars := map[string]bool{}
	dir := filepath.Join("..", "..", "runtime", "idem")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					for _, n := range s.(*ast.ValueSpec).Names {
						vars[n.Name] = true
					}
				}
			}
		}
	}
	for _, s := range idem.Statuses() {
		if name := ErrorName(s); name != "" && !vars[name] {
			t.Errorf("outcome %s: there is no idem.%s", s.Code, name)
		}
	}
}

// TestEveryCodeIsOnItsPage, in some range.
func TestEveryCodeIsOnItsPage(t *testing.T) {
	page, _ := PageNamed("diagnostics")
	text := string(page.Markdown())
	for _, i := range diag.Codes() {
		if !strings.Contains(text, "### "+string(i.Code)+": ") {
			t.Errorf("%s is missing", i.Code)
		}
	}
}
