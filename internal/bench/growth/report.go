package growth

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/bench"
	"github.com/idemgen/idemgen/internal/bench/run"
)

const limit = 1.3 // of the bar

// Report is GROWTH.md.
func Report(c Config, measured []Measured) string {
	var b strings.Builder
	b.WriteString("# Growth\n\n<!-- Written by make bench-growth. Explanations are in NOTES.md. -->\n\n" + bench.Machine() + "\n\n")
	fmt.Fprintf(&b, "Each race runs one operation on tables of %s records by turns, %d samples each of about %v; ratios are against the smallest table, with their 95 %% confidence interval. ", words(c.Sizes), c.Run.Samples, c.Run.Sample)
	fmt.Fprintf(&b, "A tenth of the records has expired; pages are two thirds full, as inserts of random keys leave them. Tables of up to %d records are put back to their size after every sample, larger ones after every race. Beside ours runs the same row by a plain INSERT (and UPDATE) on the same table, which decides nothing: what grows there, too, is the table's own.\n\n", small)
	for _, m := range measured {
		fmt.Fprintf(&b, "%s: %s. %s.\n\n", m.Kind.Name, m.Kind.Settings(c.PoolMiB), strings.Join(m.Loads, "; "))
	}
	b.WriteString("## Bars\n\n| what | bar | measured | |\n|---|---|---|---|\n")
	for _, m := range measured {
		for _, row := range m.bars(c) {
			b.WriteString(row + "\n")
		}
	}
	b.WriteByte('\n')
	for _, m := range measured {
		fmt.Fprintf(&b, "## %s\n\n", m.Kind.Name)
		for _, r := range m.Results {
			m.table(&b, r)
		}
	}
	return b.String()
}

// bars are the rows of the bar table: claims on the largest table against the smallest.
func (m Measured) bars(c Config) (rows []string) {
	most := c.Sizes[len(c.Sizes)-1]
	for _, r := range m.Results {
		if r.Name != raceClaim {
			continue
		}
		big, ok := r.Find(contestant(ours, most))
		few, also := r.Find(contestant(ours, c.Sizes[0]))
		if !ok || !also {
			continue
		}
		s := run.Ratio(big, few)
		rows = append(rows, bench.Row{
			What:     bench.GrowthWhat(m.Kind.Name, r.Callers),
			Bar:      bench.GrowthBar,
			Measured: fmt.Sprintf("%.2f (%.2f–%.2f); the INSERT by hand: %s", s.Median, s.Lo, s.Hi, handRatio(r, c.Sizes[0], most)),
			Met:      s.Median <= limit,
		}.String())
	}
	return rows
}

func handRatio(r run.Result, few, most int) string {
	x, ok := r.Find(contestant(byHand, most))
	y, also := r.Find(contestant(byHand, few))
	if !ok || !also {
		return "–"
	}
	return fmt.Sprintf("%.2f", run.Ratio(x, y).Median)
}

// table writes a race: each size against the smallest of the same contestant, and ours
// against what was written by hand on the same size.
func (m Measured) table(b *strings.Builder, r run.Result) {
	title := r.Name
	if r.Callers > 1 {
		title += fmt.Sprintf(", %d callers", r.Callers)
	}
	fmt.Fprintf(b, "### %s\n\n| | per operation | against the smallest | 95 %% | against by hand | allocations |", title)
	rule := "|---|---|---|---|---|---|"
	for _, f := range r.Figures {
		fmt.Fprintf(b, " %s |", f.Name)
		rule += "---|"
	}
	b.WriteString("\n" + rule + "\n")
	for _, l := range r.Lines {
		who, _, _ := strings.Cut(l.Name, ", ")
		base := first(r, who)
		s, against := run.Ratio(l, base), "–"
		if hand, ok := r.Find(byHand + strings.TrimPrefix(l.Name, ours)); ok && who == ours {
			against = fmt.Sprintf("%.2f", run.Ratio(l, hand).Median)
		}
		fmt.Fprintf(b, "| %s | %s | %.2f | %.2f–%.2f | %s | %.0f |", l.Name, run.Span(run.Summarize(l.NsPerOp).Median), s.Median, s.Lo, s.Hi, against, l.Allocs)
		for i, f := range r.Figures {
			text := ""
			if i < len(l.Figures) {
				text = f.Write(l.Figures[i])
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

// first is the first line of somebody: that of the smallest table, as usual.
func first(r run.Result, who string) run.Line {
	for _, l := range r.Lines {
		if strings.HasPrefix(l.Name, who+", ") {
			return l
		}
	}
	return run.Line{}
}

// words lists numbers: "1, 2 and 3".
func words(numbers []int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, fmt.Sprint(n))
	}
	if len(out) == 1 {
		return out[0]
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}
