package graph

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DOT is a diagram for Graphviz. Nodes and edges have classes (state, initial,
// final, many, note, start; event), which an SVG made of it keeps. Events
// between the same two nodes share an arrow.
func DOT(d Diagram) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\ndigraph machine {\n", DOTMark)
	fmt.Fprintf(&b, "\tgraph [label=%s labelloc=t fontname=%[2]s fontsize=16 rankdir=TB nodesep=0.5 ranksep=0.6 bgcolor=transparent]\n", dotText(d.Title), dotFont)
	fmt.Fprintf(&b, "\tnode [shape=box style=rounded fontname=%[1]s fontsize=13 margin=\"0.2,0.08\"]\n\tedge [fontname=%[1]s fontsize=11 arrowsize=0.8]\n", dotFont)
	b.WriteString("\tstart [shape=point width=0.15 class=\"start\"]\n")
	for _, n := range d.Nodes {
		class, more := "state", ""
		switch {
		case n.Note:
			class, more = "note", " shape=note"
		case n.Many:
			class, more = "many", " style=\"rounded,dashed\""
		case n.Final:
			class, more = "state final", " peripheries=2"
		case n.Initial:
			class = "state initial"
		}
		fmt.Fprintf(&b, "\t%s [label=%s class=\"%s\"%s]\n", n.ID, nodeText(n), class, more)
	}
	for _, n := range d.Nodes {
		if n.Initial {
			fmt.Fprintf(&b, "\tstart -> %s [class=\"event\"]\n", n.ID)
		}
	}
	for i := 0; i < len(d.Edges); {
		e := d.Edges[i]
		var lines []string
		for ; i < len(d.Edges) && d.Edges[i].From == e.From && d.Edges[i].To == e.To; i++ {
			for _, l := range d.Edges[i].Label() {
				for _, part := range wrapped(l) {
					lines = append(lines, " "+part+" ") // keeps a label off its arrow
				}
			}
		}
		fmt.Fprintf(&b, "\t%s -> %s [label=%s class=\"event\"]\n", d.Nodes[e.From].ID, d.Nodes[e.To].ID, dotText(lines...))
	}
	b.WriteString("}\n")
	return b.String()
}

// dotFont is a font whose widths Graphviz knows without the font.
const dotFont = `"Arial"`

// nodeText is the label of a node: that of a state is one line.
func nodeText(n Node) string {
	if n.Many || n.Note {
		return dotText(wrapped(n.Label)...)
	}
	return dotText(n.Label)
}

// lineLength is where sentences and predicates are wrapped, in characters.
const lineLength = 40

// wrapped breaks a text at blanks.
func wrapped(s string) []string {
	var lines []string
	line, used := "", 0
	for word := range strings.SplitSeq(s, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case line == "" && lines == nil && used == 0:
			line, used = word, n
		case used+1+n > lineLength:
			lines = append(lines, line)
			line, used = word, n
		default:
			line, used = line+" "+word, used+1+n
		}
	}
	return append(lines, line)
}

// dotText is a quoted string of lines. Graphviz reads backslashes and entities of
// HTML in it.
func dotText(lines ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = escape.Replace(l)
	}
	return `"` + strings.Join(out, `\n`) + `"`
}
