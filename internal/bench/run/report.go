package run

import (
	"fmt"
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
		trips := false
		for _, l := range r.Lines {
			trips = trips || l.Trips >= 0
		}
		head, rule := "| | per "+r.Unit+" | ratio | 95 % | allocations |", "|---|---|---|---|---|"
		if trips {
			head, rule = head+" trips |", rule+"---|"
		}
		fmt.Fprintf(&b, "%s\n%s\n", head, rule)
		for _, l := range r.Lines {
			s, ratio := Summarize(l.NsPerOp), Ratio(l, r.Lines[0])
			fmt.Fprintf(&b, "| %s | %s | %.2f | %.2f–%.2f | %.0f |", l.Name, span(s.Median), ratio.Median, ratio.Lo, ratio.Hi, l.Allocs)
			switch {
			case trips && l.Trips >= 0:
				fmt.Fprintf(&b, " %d |", l.Trips)
			case trips:
				b.WriteString(" |")
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// span writes nanoseconds with three digits.
func span(ns float64) string {
	d := time.Duration(ns)
	switch {
	case ns < 100:
		return fmt.Sprintf("%.1f ns", ns)
	case ns < 10_000:
		return fmt.Sprintf("%.0f ns", ns)
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f ms", ns/1e6)
	}
	return fmt.Sprintf("%.1f s", ns/1e9)
}
