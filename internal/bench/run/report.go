package run

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Table writes results as sections of Markdown, in order.
func Table(results []Result) string {
	var b strings.Builder
	group := ""
	for _, r := range results {
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(&b, "## %s\n\n", group)
		}
		title := r.Name
		if r.Callers > 1 {
			title += fmt.Sprintf(", %d callers", r.Callers)
		}
		fmt.Fprintf(&b, "### %s\n\n", title)
		if r.Note != "" {
			fmt.Fprintf(&b, "%s\n\n", r.Note)
		}
		r.table(&b)
	}
	return b.String()
}

func (r Result) table(b *strings.Builder) {
	trips := false
	for _, l := range r.Lines {
		trips = trips || l.Trips != nil
	}
	head, rule := "| | per "+r.Unit+" | ratio | 95 % | samples | allocations |", "|---|---|---|---|---|---|"
	if trips {
		head, rule = head+" trips |", rule+"---|"
	}
	for _, f := range r.Figures {
		head, rule = head+" "+f.Name+" |", rule+"---|"
	}
	fmt.Fprintf(b, "%s\n%s\n", head, rule)
	for _, l := range r.Lines {
		s, ratio := Summarize(l.NsPerOp), Ratio(l, r.Lines[0])
		fmt.Fprintf(b, "| %s | %s | %.2f | %.2f–%.2f | %d | %.0f |", l.Name, Span(s.Median), ratio.Median, ratio.Lo, ratio.Hi, len(l.NsPerOp), l.Allocs)
		if trips {
			fmt.Fprintf(b, " %s |", TripsText(l.Trips))
		}
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

// TripsText writes round trips step by step: "1 + 1".
func TripsText(steps []int) string {
	var words []string
	for _, n := range steps {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, " + ")
}

// Span writes nanoseconds with three digits.
func Span(ns float64) string {
	d := time.Duration(ns)
	switch {
	case ns < 100:
		return fmt.Sprintf("%.1f ns", ns)
	case ns < 10_000:
		return fmt.Sprintf("%.0f ns", ns)
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", ns/1e6)
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f ms", ns/1e6)
	}
	return fmt.Sprintf("%.1f s", ns/1e9)
}
