package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// diagrams are what idemgen draws, hostile labels among them.
func diagrams(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "templates", "graph", "testdata", "*.dot"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d diagrams, %v", len(files), err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if out[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// texts are the lines that a reader of the SVG sees, sorted.
func texts(t *testing.T, svg []byte) []string {
	t.Helper()
	var out []string
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for inside := false; ; {
		tok, err := dec.Token()
		if err == io.EOF {
			slices.Sort(out)
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			inside = tok.Name.Local == "text"
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside {
				out = append(out, strings.Trim(string(tok), " \u00a0"))
			}
		}
	}
}

var label = regexp.MustCompile(`\[label="((?:[^"\\]|\\.)*)"`)

// labels are the lines of all labels of a diagram, sorted.
func labels(dot []byte) []string {
	var out []string
	for _, m := range label.FindAllSubmatch(dot, -1) {
		text := strings.NewReplacer(`\\`, `\`, `\"`, `"`, "&amp;", "&", `\n`, "\n").Replace(string(m[1]))
		for line := range strings.SplitSeq(text, "\n") {
			out = append(out, strings.Trim(line, " ")) // arrows have one on both sides
		}
	}
	slices.Sort(out)
	return out
}

// TestLaw_S10_GraphvizReadsEveryLabel: Graphviz itself reads what idemgen writes, and
// shows each label as it is; the same bytes come out every time.
func TestLaw_S10_GraphvizReadsEveryLabel(t *testing.T) {
	for name, dot := range diagrams(t) {
		first, err := render(t.Context(), dot)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := texts(t, first), labels(dot); !slices.Equal(got, want) {
			t.Errorf("%s: shown %q\nwanted %q", name, got, want)
		}
		again, err := render(t.Context(), dot)
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: other bytes the second time: %v", name, err)
		}
	}
}

func TestRun_RefusesWhatIsNoDOT(t *testing.T) {
	for _, dot := range []string{"", "digraph {", "<svg/>", "digraph { a [label=\"b] }"} {
		var out, said bytes.Buffer
		if code := run(t.Context(), nil, strings.NewReader(dot), &out, &said); code != 1 || out.Len() > 0 || !strings.HasPrefix(said.String(), "idemgen-graph: this is no DOT") {
			t.Errorf("%q: exit %d, %s %s", dot, code, out.String(), said.String())
		}
	}
	var out, said bytes.Buffer
	if code := run(t.Context(), []string{"-h"}, strings.NewReader(""), &out, &said); code != 2 || !strings.HasPrefix(said.String(), "Usage: ") {
		t.Errorf("exit %d, %s", code, said.String())
	}
}
