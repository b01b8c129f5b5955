package bench

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/bench/races"
	"github.com/idemgen/idemgen/internal/bench/run"
)

// Bar is one claim of speed, measured.
type Bar struct {
	ID   string // of its note in NOTES.md
	What string
	Bar  string
	// Measure finds the figure in the results; known is false where they have none.
	Measure func(results []run.Result) (figure string, met, known bool)
}

// ratio compares two contestants of one race with a limit.
func ratio(race string, callers int, ours, base string, limit float64) func([]run.Result) (string, bool, bool) {
	return func(results []run.Result) (string, bool, bool) {
		for _, r := range results {
			if r.Callers != callers || r.Group+": "+r.Name != race {
				continue
			}
			x, ok := r.Find(ours)
			y, also := r.Find(base)
			if !ok || !also {
				return "", false, false
			}
			s := run.Ratio(x, y)
			return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Lo, s.Hi), s.Median <= limit, true
		}
		return "", false, false
	}
}

// allocations compares what two contestants allocate with a limit on the difference.
func allocations(race, ours, base string, more float64) func([]run.Result) (string, bool, bool) {
	return func(results []run.Result) (string, bool, bool) {
		for _, r := range results {
			if r.Group+": "+r.Name != race {
				continue
			}
			x, ok := r.Find(ours)
			y, also := r.Find(base)
			if ok && also {
				return fmt.Sprintf("%.0f against %.0f", x.Allocs, y.Allocs), x.Allocs <= y.Allocs+more, true
			}
		}
		return "", false, false
	}
}

// Bars are the claims, in the order of the table.
func Bars() []Bar {
	const (
		transition = "Runtime: transitions: is the event allowed, and where does it lead"
		replay     = "Runtime: in memory: a duplicate gets the stored result"
		http       = "Runtime: in memory: an HTTP retry gets the stored response"
		onceFresh  = "Runtime: Redis: once, fresh: claim and result"
		lock       = "Runtime: Redis: lock and unlock"
		sqlite     = "Runtime: transactions: SQLite: a fresh call with one effect"
		event      = "Runtime: events: Postgres: once + guard + history + result, without a body"
	)
	return []Bar{
		{"transition", "transition check", "≤ 1.1 × a hand-written table", ratio(transition, 1, races.Ours, "hand-written table", 1.1)},
		{"transition-allocations", "transition check, allocations", "0", allocations(transition, races.Ours, "hand-written table", 0)},
		{"replay", "typed replay from memory", "≤ 1.2 × the hand-written map with a JSON result", ratio(replay, 1, races.Ours, "hand-written map, JSON result", 1.2)},
		{"http", "HTTP replay", "≤ 0.5 × fiber's middleware", ratio(http, 1, races.Ours, "fiber's middleware", 0.5)},
		{"http-allocations", "HTTP replay, allocations over the bare handler", "≤ 4", allocations(http, races.Ours, "bare handler", 4)},
		{"redis-once-go-redis", "Redis once, fresh, 64 callers, go-redis", "≤ 1.1 × the bare commands", ratio(onceFresh, 64, races.OursGoRedis, "SET NX GET, SET by hand, go-redis", 1.1)},
		{"redis-once-rueidis", "Redis once, fresh, 64 callers, rueidis", "≤ 1.1 × the bare commands", ratio(onceFresh, 64, races.OursRueidis, "SET NX GET, SET by hand, rueidis", 1.1)},
		{"redis-lock", "Redis lock and unlock, 64 callers", "faster than redislock", ratio(lock, 64, races.OursGoRedis, "redislock, go-redis", 1.0)},
		{"sqlite", "SQLite transaction mode, fresh", "≤ 2 × the bare transaction", ratio(sqlite, 1, races.Ours, races.BareTx, 2)},
		{"event-1", "once event on Postgres, 1 caller", "≤ 0.9 × BEGIN, UPDATE, COMMIT", ratio(event, 1, races.Ours, races.BareUpdate, 0.9)},
		{"event-8", "once event on Postgres, 8 callers", "≤ 0.8 × BEGIN, UPDATE, history, COMMIT", ratio(event, 8, races.Ours, races.BareHistory, 0.8)},
	}
}

// BarTable writes the bars with what was measured, and the notes behind.
func BarTable(bars []Bar, results []run.Result, more [][4]string, notes map[string]string) string {
	var b strings.Builder
	b.WriteString("| what | bar | measured | |\n|---|---|---|---|\n")
	for _, bar := range bars {
		figure, met, known := bar.Measure(results)
		word := "met"
		switch {
		case !known:
			figure, word = "–", "not run"
		case !met:
			word = "**not met**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", bar.What, bar.Bar, figure, word)
	}
	for _, m := range more {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m[0], m[1], m[2], m[3])
	}
	b.WriteByte('\n')
	for _, bar := range bars {
		if note := notes[bar.ID]; note != "" {
			fmt.Fprintf(&b, "- **%s**: %s\n", bar.What, note)
		}
	}
	for _, id := range []string{"trips", "generator", "growth"} {
		if note := notes[id]; note != "" {
			fmt.Fprintf(&b, "- **%s**: %s\n", id, note)
		}
	}
	return b.String()
}

// ParseNotes reads NOTES.md: a section per bar, whose title is the bar's ID.
func ParseNotes(text string) map[string]string {
	notes := map[string]string{}
	for _, part := range strings.Split("\n"+text, "\n## ")[1:] {
		id, note, _ := strings.Cut(part, "\n")
		notes[strings.TrimSpace(id)] = strings.Join(strings.Fields(note), " ")
	}
	return notes
}
