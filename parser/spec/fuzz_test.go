package spec

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// FuzzYAML: any bytes give a file or diagnostics with places inside them, never a
// panic; what is accepted means the same after another program wrote it again.
func FuzzYAML(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "golden", "*yaml_*.txtar"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range txtar.Parse(src).Files {
			if filepath.Base(x.Name) == FileName {
				f.Add(x.Data)
				f.Add([]byte(strings.ReplaceAll(string(x.Data), "\n", "\r\n")))
			}
		}
	}
	for _, s := range styles {
		f.Add([]byte("version: 1\npackages:\n  .:\n    declarations:\n      Pay:\n        once:\n          " + strings.ReplaceAll(s, "\n", "\n          ")))
	}
	f.Add([]byte(strings.Repeat("[", 20000)))
	f.Add([]byte(strings.Repeat("? ", 20000)))
	f.Add([]byte("\xff\xfe{\x00}\x00"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, diags := Parse(token.NewFileSet(), FileName, src)
		lines := strings.Split(string(src), "\n")
		for _, d := range diags {
			inside(t, lines, d.Pos, d)
			for _, x := range d.Related {
				inside(t, lines, x.Pos, d)
			}
			if d.Message == "" || d.Code == diag.CodeInternal {
				t.Errorf("%+v", d)
			}
		}
		if file == nil && len(diags) == 0 {
			t.Error("neither a file nor a diagnostic")
		}
		follow(t, src)
		if len(diags) > 0 {
			return
		}
		var node yaml.Node
		if err := yaml.Unmarshal(src, &node); err != nil {
			t.Fatalf("accepted, but no YAML: %v", err)
		}
		again, err := yaml.Marshal(&node)
		if err != nil {
			t.Fatalf("accepted, but can't be written: %v", err)
		}
		second, diags := Parse(token.NewFileSet(), FileName, again)
		if len(diags) > 0 {
			t.Fatalf("accepted, but not when written again: %v\n%s", diags, again)
		}
		if a, b := meaning(file), meaning(second); a != b {
			t.Errorf("means\n%s\nwritten again\n%s\nmeans\n%s", a, again, b)
		}
	})
}

func inside(t *testing.T, lines []string, p model.Pos, d diag.Diagnostic) {
	t.Helper()
	if p.File != FileName || p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 {
		t.Errorf("%+v is outside of the file", d)
	}
}

// follow holds the places of all scalars to the bytes.
func follow(t *testing.T, src []byte) {
	t.Helper()
	r := &reader{text: newText(token.NewFileSet(), FileName, src)}
	if r.readable() != nil {
		return
	}
	doc, _ := r.document()
	var visit func(n *yaml.Node, depth int)
	visit = func(n *yaml.Node, depth int) {
		if n.Kind == yaml.ScalarNode && n.Style&yaml.TaggedStyle == 0 && n.Anchor == "" {
			s, places := r.scalar(n)
			faithful(t, r, n, s, places)
		}
		for _, c := range n.Content {
			if depth < maxDepth {
				visit(c, depth+1)
			}
		}
	}
	if doc != nil {
		visit(doc, 0)
	}
}

// meaning is what a file says, without places and layout.
func meaning(f *File) string {
	var b strings.Builder
	for _, p := range f.Packages {
		fmt.Fprintf(&b, "%q\n", p.Key.Text)
		for _, i := range p.Imports {
			fmt.Fprintf(&b, "import %q %q\n", i.Name.Text, i.Path.Text)
		}
		for _, d := range p.Declarations {
			fmt.Fprintf(&b, "%q.%q %q\n", d.Owner, d.Member, d.Type.Text)
			for _, s := range d.States {
				fmt.Fprintf(&b, "state %q %s\n", s.Name.Text, s.Literal)
			}
			for _, x := range d.Directives {
				fmt.Fprintf(&b, "%s %v\n", x.Name, x.Faulty)
			}
			fmt.Fprintf(&b, "%q\n", strings.Fields(strings.Join(d.Texts, " ")))
		}
	}
	return b.String()
}
