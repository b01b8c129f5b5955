package directive

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/parser/diag"
)

// parseFile parses a file as the loader does: comments kept, errors tolerated.
func parseFile(src string) (*token.FileSet, *ast.File) {
	fset := token.NewFileSet()
	fset.AddFile("before.go", -1, 1234) // files never begin at 1 in real sets
	file, _ := parser.ParseFile(fset, "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
	return fset, file
}

func scanText(src string) ([]Attached, []diag.Diagnostic) {
	fset, file := parseFile(src)
	return Scan(fset, file, []byte(src))
}

// brief is a diagnostic as "line:col CODE message", " | hint" if it has one,
// and " @line:col" for each related place.
func brief(d diag.Diagnostic) string {
	s := fmt.Sprintf("%d:%d %s %s", d.Pos.Line, d.Pos.Col, d.Code, d.Message)
	if d.Hint != "" {
		s += " | " + d.Hint
	}
	for _, r := range d.Related {
		s += fmt.Sprintf(" @%d:%d", r.Pos.Line, r.Pos.Col)
	}
	return s
}

func briefs(ds []diag.Diagnostic) string {
	var b strings.Builder
	for _, d := range ds {
		b.WriteString(brief(d) + "\n")
	}
	return b.String()
}

// hazard is a file and the diagnostics that it must get, in full or, for a
// line that ends in "…", up to there.
type hazard struct {
	name string
	src  string
	want []string
}

func (h hazard) run(t *testing.T) {
	t.Helper()
	t.Run(h.name, func(t *testing.T) {
		_, got := scanText(h.src)
		same := len(got) == len(h.want)
		for i := 0; same && i < len(got); i++ {
			g := brief(got[i])
			if w, open := strings.CutSuffix(h.want[i], "…"); open {
				same = strings.HasPrefix(g, w)
			} else {
				same = g == w
			}
			same = same && got[i].Pos.File == "a.go"
		}
		if !same {
			t.Errorf("source:\n%s\ngot:\n%s\nwant:\n%s", h.src, briefs(got), strings.Join(h.want, "\n"))
		}
	})
}

// once decodes a //idem:once with these arguments on a function.
func once(t *testing.T, args string) *Once {
	t.Helper()
	attached, diags := scanText("package a\n\n//idem:once " + args + "\nfunc F() {}\n")
	if len(diags) > 0 || len(attached) != 1 {
		t.Fatalf("%s: %d attached, diagnostics:\n%s", args, len(attached), briefs(diags))
	}
	return attached[0].Args().(*Once)
}
