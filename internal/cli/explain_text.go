package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/idemgen/idemgen/internal/cost"
	"github.com/idemgen/idemgen/internal/explain"
	"github.com/idemgen/idemgen/internal/reference"
)

// textWidth is how wide explanations are, in columns.
const textWidth = 100

// explainText prints an explanation for people.
func explainText(w io.Writer, e explain.Explanation) {
	fmt.Fprintf(w, "%s.%s", e.Package, e.Name)
	if e.Mode != "" {
		fmt.Fprintf(w, " (%s)", e.Mode)
	}
	fmt.Fprintf(w, "\n\n%s\n", wrap("Consistency: "+e.Consistency+".", textWidth, ""))
	if e.Operation != "" && e.Operation != e.Package+"."+e.Name {
		fmt.Fprintf(w, "Its name in the records: %s\n", e.Operation)
	}
	fmt.Fprint(w, "\nLayers, outermost first:\n")
	for i, l := range e.Layers {
		indent := "  "
		if l.Inside {
			indent = "    "
		}
		line := fmt.Sprintf("%s%d. %s: ", indent, i+1, l.Name)
		fmt.Fprintf(w, "%s%s\n", line, wrap(l.Says, textWidth-len(line), strings.Repeat(" ", len(line))))
	}
	fmt.Fprint(w, "\nWhat a call gets:\n")
	rows := [][]string{{"outcome", "HTTP", "gRPC", "queue", "when"}}
	for _, o := range e.Outcomes {
		rows = append(rows, []string{o.Code, fmt.Sprint(o.HTTP), reference.GRPCName(o.GRPC), o.Queue, o.When})
	}
	table(w, rows)
	fmt.Fprint(w, "\nWhat it costs (round trips; statements on SQLite):\n")
	head := []string{"layer"}
	for _, s := range cost.Stores() {
		head = append(head, s.String())
	}
	rows = [][]string{append(head, "operation")}
	for _, c := range e.Costs {
		row := []string{c.Layer}
		for _, s := range cost.Stores() {
			cell := "-"
			if n, ok := c.On[s.String()]; ok {
				cell = fmt.Sprint(n)
			}
			row = append(row, cell)
		}
		rows = append(rows, append(row, c.Operation))
	}
	table(w, rows)
	fmt.Fprint(w, "\nWhen the process dies:\n")
	for _, c := range e.Crashes {
		fmt.Fprintf(w, "  %s\n", c.When)
		fmt.Fprintf(w, "      leaves     %s\n", wrap(c.Leaves, textWidth-17, strings.Repeat(" ", 17)))
		fmt.Fprintf(w, "      next call  %s\n", wrap(c.Next, textWidth-17, strings.Repeat(" ", 17)))
	}
}

// table prints rows whose last column is text, wrapped to the width.
func table(w io.Writer, rows [][]string) {
	last := len(rows[0]) - 1
	width := make([]int, last)
	for _, r := range rows {
		for i := range width {
			width[i] = max(width[i], len(r[i]))
		}
	}
	for _, r := range rows {
		line := " "
		for i := range width {
			line += fmt.Sprintf(" %-*s ", width[i], r[i])
		}
		line += " "
		fmt.Fprintf(w, "%s%s\n", line, wrap(r[last], max(30, textWidth-len(line)), strings.Repeat(" ", len(line))))
	}
}

// wrap breaks a text into lines of a width, all but the first indented.
func wrap(text string, width int, indent string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return strings.Join(append(lines, line), "\n"+indent)
}
