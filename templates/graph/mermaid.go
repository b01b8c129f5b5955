package graph

import (
	"fmt"
	"strings"
	"unicode"
)

// Mermaid is a diagram for Mermaid, which GitHub and GitLab show in Markdown.
func Mermaid(d Diagram) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nstateDiagram-v2\n", MermaidMark)
	fmt.Fprintf(&b, "  accTitle: %s\n", mermaidText(d.Title))
	for _, n := range d.Nodes {
		fmt.Fprintf(&b, "  state \"%s\" as %s\n", mermaidText(n.Label), n.ID)
	}
	for _, n := range d.Nodes {
		if n.Initial {
			fmt.Fprintf(&b, "  [*] --> %s\n", n.ID)
		}
	}
	for _, e := range d.Edges {
		fmt.Fprintf(&b, "  %s --> %s: %s\n", d.Nodes[e.From].ID, d.Nodes[e.To].ID, mermaidText(strings.Join(e.Label(), " ")))
	}
	dashed := false
	for _, n := range d.Nodes {
		if n.Final {
			fmt.Fprintf(&b, "  %s --> [*]\n", n.ID)
		}
		dashed = dashed || n.Many || n.Note
	}
	if dashed {
		b.WriteString("  classDef dashed stroke-dasharray:4\n")
	}
	for _, n := range d.Nodes {
		if n.Many || n.Note {
			fmt.Fprintf(&b, "  class %s dashed\n", n.ID)
		}
	}
	return b.String()
}

// mermaidText writes what Mermaid, the Markdown of its labels or the HTML it makes
// could read as a sign as an entity, #34; for a quote. An underscore is one unless
// it stands inside a word.
func mermaidText(s string) string {
	runes := []rune(s)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var b strings.Builder
	for i, r := range runes {
		switch {
		case word(i), r > unicode.MaxASCII, strings.ContainsRune(" ,()[]'=", r), r == '_' && word(i-1) && word(i+1):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
