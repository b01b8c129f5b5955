package reference

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/runtime/httpidem"
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

// TestRecipesAreYAML: what people copy into their CI can be read.
func TestRecipesAreYAML(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "ci", "*.yml"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := yaml.Unmarshal(text, &doc); err != nil || len(doc) == 0 {
			t.Errorf("%s: %v", f, err)
		}
		if !bytes.Contains(text, []byte("go tool idemgen check")) {
			t.Errorf("%s checks nothing", f)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)

// TestLinksLead: every link of the documentation to a file of the repository leads to
// one.
func TestLinksLead(t *testing.T) {
	root := filepath.Join("..", "..")
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 10 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			target := string(m[1])
			if strings.Contains(target, "://") || strings.ContainsAny(target, " (*") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: %s leads nowhere", page, target)
			}
		}
	}
}

var fenced = regexp.MustCompile("(?ms)^```.*?^```$")

// TestChineseReadmeIsComplete: README.zh-CN.md has every section, every table row and
// every block of README.md.
func TestChineseReadmeIsComplete(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	english, chinese := read("README.md"), read("README.zh-CN.md")
	if diff := cmp.Diff(fenced.FindAllString(english, -1), fenced.FindAllString(chinese, -1)); diff != "" {
		t.Errorf("the blocks differ (-README.md +README.zh-CN.md):\n%s", diff)
	}
	count := func(text, begins string) (n int) {
		for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
			if strings.HasPrefix(line, begins) {
				n++
			}
		}
		return n
	}
	for _, begins := range []string{"# ", "## ", "### ", "| ", "- "} {
		if en, zh := count(english, begins), count(chinese, begins); en != zh {
			t.Errorf("%d lines begin with %q, and %d in Chinese", en, begins, zh)
		}
	}
}

// TestOutcomesOfHTTP: the page has what httpidem answers besides.
func TestOutcomesOfHTTP(t *testing.T) {
	if d := cmp.Diff(httpidem.Statuses(), httpOnly, cmpopts.IgnoreUnexported(idem.Status{})); d != "" {
		t.Error(d)
	}
}
