package bench

import (
	"fmt"
	"strings"
)

// Row is a line of the table of bars: a claim of speed, and what was measured.
type Row struct {
	What, Bar, Measured string
	Met                 bool
}

// String is the row as Markdown; a row without a figure was not run.
func (r Row) String() string {
	word := "**not met**"
	switch {
	case r.Measured == "":
		r.Measured, word = "–", "not run"
	case r.Met:
		word = "met"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", r.What, r.Bar, r.Measured, word)
}

// GrowthBar is the bar of the rows that make bench-growth measures.
const GrowthBar = "≤ 1.3 × at 10 thousand"

// growthPrefix begins the rows that make bench-growth measures.
const growthPrefix = "growth: "

// GrowthWhat names the row of a kind of database.
func GrowthWhat(kind string, callers int) string {
	word := "callers"
	if callers == 1 {
		word = "caller"
	}
	return fmt.Sprintf("%sclaim at 10 million records, %s, %d %s", growthPrefix, kind, callers, word)
}

// GrowthRows are the lines of the table of bars that GROWTH.md has.
func GrowthRows(growth string) (rows []string) {
	for line := range strings.Lines(growth) {
		if strings.HasPrefix(line, "| "+growthPrefix) {
			rows = append(rows, strings.TrimRight(line, "\n"))
		}
	}
	return rows
}

// WithGrowth is RESULTS.md with the rows of another GROWTH.md in place of its own, so
// that either of the two runs may come first.
func WithGrowth(results, growth string) string {
	var b strings.Builder
	written := false
	for line := range strings.Lines(results) {
		if !strings.HasPrefix(line, "| "+growthPrefix) {
			b.WriteString(line)
			continue
		}
		if !written {
			written = true
			for _, row := range GrowthRows(growth) {
				b.WriteString(row + "\n")
			}
		}
	}
	return b.String()
}

// GrowthBars are the rows that make bench-growth measures, as "what" and "bar".
func GrowthBars() (rows []Row) {
	for _, kind := range []string{"Postgres", "MariaDB"} {
		for _, callers := range []int{1, 8, 64} {
			rows = append(rows, Row{What: GrowthWhat(kind, callers), Bar: GrowthBar})
		}
	}
	return rows
}

// BarTable writes the bars with what was measured, those of GROWTH.md among them, and
// behind it the notes on those that are not met.
func BarTable(m Measured, growth string, notes []Note) string {
	var b strings.Builder
	b.WriteString("| what | bar | measured | |\n|---|---|---|---|\n")
	missed := map[string]bool{} // notes that are wanted
	for _, bar := range Bars() {
		row := Row{What: bar.What, Bar: bar.Bar}
		if figure, met, known := bar.measure(m); known {
			row.Measured, row.Met = figure, met
			missed[bar.Note] = missed[bar.Note] || !met
		}
		b.WriteString(row.String() + "\n")
	}
	measured := GrowthRows(growth)
	for _, row := range GrowthBars() {
		line := row.String()
		for _, got := range measured {
			if strings.HasPrefix(got, "| "+row.What+" | "+row.Bar+" |") {
				line = got
			}
		}
		b.WriteString(line + "\n")
		missed["growth"] = missed["growth"] || strings.Contains(line, "not met")
	}
	b.WriteByte('\n')
	for _, n := range notes {
		if missed[n.ID] {
			fmt.Fprintf(&b, "- **%s**: %s\n", n.ID, n.Text)
		}
	}
	return b.String()
}

// Note is a section of NOTES.md: what bounds the bars that name it.
type Note struct{ ID, Text string }

// ParseNotes reads NOTES.md, whose sections are titled by their IDs.
func ParseNotes(text string) (notes []Note) {
	for _, part := range strings.Split("\n"+text, "\n## ")[1:] {
		id, note, _ := strings.Cut(part, "\n")
		notes = append(notes, Note{strings.TrimSpace(id), strings.Join(strings.Fields(note), " ")})
	}
	return notes
}
