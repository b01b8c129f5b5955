package spec

import (
	"go/token"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// styles are scalars whose every byte has a place of its own.
var styles = map[string]string{
	"plain":          "k: a b  c",
	"plain folded":   "k: a b\n  c\n\n\n  d",
	"plain comment":  "k: ab # c",
	"plain crlf":     "k: a b\r\n  c\r\n\r\n  d\r\n",
	"plain unicode":  "ключ: зна  чение",
	"single":         "k: 'a ''b'' c'",
	"single folded":  "k: 'a\n\n  b  \n  c '",
	"double":         `k: "a b"`,
	"double escapes": `k: "a\tb\x41\u00e9\U0001F600\"c\\\e"`,
	"double folded":  "k: \"a \\\n    b\n  c\\  d\n\n  e\"",
	"literal":        "k: |\n  a b\n   c\n\n  d\n",
	"literal keep":   "k: |+\n\n  a\n\n\nx: y\n",
	"literal strip":  "k: |-\n    a\n    b",
	"literal number": "k: |2 # comment\n   a\n  b\n",
	"folded":         "k: >\n  a\n  b\n\n  c\n   d\n   e\n  f\n\n\n  g\n",
	"folded lead":    "k: >-\n\n\n  a\n  b\n",
	"folded crlf":    "k: >\r\n  a\r\n  b\r\n\r\n  c\r\n",
	"flow":           "{k: a b, x: y}",
	"flow folded":    "{k: a\n  b, x: y}",
}

func TestScalarsHaveTheirPlaces(t *testing.T) {
	for name, src := range styles {
		t.Run(name, func(t *testing.T) {
			r := &reader{text: newText(token.NewFileSet(), FileName, []byte(src))}
			doc, diags := r.document()
			if diags != nil {
				t.Fatal(diags)
			}
			n := doc.Content[1]
			s, places := r.scalar(n)
			faithful(t, r, n, s, places)
			if len(s) > 1 && places[0] == places[len(s)-1] {
				t.Errorf("%q is not followed", s)
			}
		})
	}
}

// faithful holds the places of a scalar to the bytes of the file.
func faithful(t *testing.T, r *reader, n *yaml.Node, s string, places []int) {
	t.Helper()
	if len(places) != len(s)+1 {
		t.Fatalf("%d places for %d bytes", len(places), len(s))
	}
	if strings.Trim(s, spaces) != s {
		t.Errorf("%q has space around it", s)
	}
	given := places[0] == r.start(n) && places[len(s)] == places[0] // not followed: all at its beginning
	for i := range len(s) {
		p := places[i]
		if p < 0 || p >= len(r.src) || i > 0 && p < places[i-1] {
			t.Fatalf("byte %d of %q is at %d", i, s, p)
		}
		if c := r.src[p]; c != s[i] && c != '\\' && !given && strings.IndexByte(" \t\r\n", s[i]) < 0 && s[i] < 0x80 {
			t.Errorf("byte %d of %q is at %q", i, s, r.src[p:])
		}
	}
	if end := places[len(s)]; end < places[0] || end > len(r.src) {
		t.Errorf("%q ends at %d", s, end)
	}
}

func TestBreakingLine(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		line int
	}{
		"indentation": {"a:\n  b: 1\n  c: 2\n d: 3\n", 4},
		"bracket":     {"a: 1\nb: [1,\nc: 2\nd: 3\n", 2},
		"quote":       {"a: 1\nb: \"x\nc: 2\n", 2},
		"colon":       {"a: 1\nb: c: d\ne: f\n", 2},
		"first":       {"]\n", 1},
		"at sign":     {"a: 1\n\n\nb: @x\n", 4},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := Parse(token.NewFileSet(), FileName, []byte(c.src))
			if len(diags) != 1 || diags[0].Pos.Line != c.line {
				t.Errorf("%+v, want line %d", diags, c.line)
			}
		})
	}
}
