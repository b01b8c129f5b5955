package graph

import (
	"fmt"
	"strings"
	"unicode"
)

// PlantUML is a diagram for PlantUML.
func PlantUML(d Diagram) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n@startuml\nhide empty description\n", PlantUMLMark)
	fmt.Fprintf(&b, "title %s\n", plantText(d.Title))
	for _, n := range d.Nodes {
		switch {
		case n.Note:
			fmt.Fprintf(&b, "note \"%s\" as %s\n", plantText(n.Label), n.ID)
		case n.Many:
			fmt.Fprintf(&b, "state \"%s\" as %s ##[dashed]\n", plantText(n.Label), n.ID)
		default:
			fmt.Fprintf(&b, "state \"%s\" as %s\n", plantText(n.Label), n.ID)
		}
	}
	for _, n := range d.Nodes {
		if n.Initial {
			fmt.Fprintf(&b, "[*] --> %s\n", n.ID)
		}
	}
	for _, e := range d.Edges {
		var lines []string
		for _, l := range e.Label() {
			lines = append(lines, plantText(l))
		}
		fmt.Fprintf(&b, "%s --> %s : %s\n", d.Nodes[e.From].ID, d.Nodes[e.To].ID, strings.Join(lines, `\n`))
	}
	for _, n := range d.Nodes {
		if n.Final {
			fmt.Fprintf(&b, "%s --> [*]\n", n.ID)
		}
	}
	b.WriteString("@enduml\n")
	return b.String()
}

// plantText writes all that PlantUML could read as a sign by its code point.
func plantText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r > unicode.MaxASCII, strings.ContainsRune(" .,()", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}
