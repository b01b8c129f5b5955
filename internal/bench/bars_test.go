package bench

import (
	"os"
	"strings"
	"testing"
)

// wantedBars are the claims of speed that the design makes, as RESULTS.md must show them:
// written down here, and not taken from what measures them, so that none is lost with
// its measurement. Each line is "what | bar".
var wantedBars = []string{
	// transition check
	"transition check: may the event leave the state | ≤ 1.1 × a hand-written table",
	"transition check: where the event leads | ≤ 1.1 × a hand-written table",
	"transition check, may: allocations | 0",
	"transition check, where: allocations | 0",
	// typed replay from memory
	"typed replay from memory | ≤ 1.2 × the hand-written map with a JSON result",
	// HTTP replay
	"HTTP replay | ≤ 0.5 × fiber's middleware",
	"HTTP replay, allocations over the bare handler | ≤ 4",
	// Redis: exact round trips; time against the bare commands; lock against redislock
	"Redis once, fresh: round trips | 2",
	"Redis once, a duplicate: round trips | 1",
	"Redis token, issue and consume: round trips | 1 + 1",
	"Redis lock + double check, unlock: round trips | 1 + 1",
	"Redis once, fresh, 64 callers, go-redis | ≤ 1.1 × the bare commands",
	"Redis once, fresh, 64 callers, rueidis | ≤ 1.1 × the bare commands",
	"Redis once, a duplicate, 64 callers, go-redis | ≤ 1.1 × the bare commands",
	"Redis once, a duplicate, 64 callers, rueidis | ≤ 1.1 × the bare commands",
	"Redis token, 64 callers, go-redis | ≤ 1.1 × the bare commands",
	"Redis token, 64 callers, rueidis | ≤ 1.1 × the bare commands",
	"Redis lock, 64 callers, go-redis | ≤ 1.1 × the bare commands",
	"Redis lock, 64 callers, rueidis | ≤ 1.1 × the bare commands",
	"Redis lock, 64 callers | faster than redislock",
	// SQL transaction mode, fresh call
	"Postgres, database/sql, transaction mode, fresh: statements | ≤ 2 more than the unguarded transaction",
	"MariaDB, transaction mode, fresh: statements | ≤ 2 more than the unguarded transaction",
	"Postgres, pgx pipelined, fresh: round trips | none more than the unguarded transaction",
	"Postgres, pgx pipelined, a duplicate: round trips | 2",
	// generated event without a method body on Postgres
	"once event on Postgres, fresh: round trips | 1",
	"once event on Postgres, a duplicate: round trips | 2",
	"once event on Postgres, 1 caller | ≤ 0.9 × BEGIN, UPDATE, COMMIT",
	"once event on Postgres, 8 callers | ≤ 0.8 × BEGIN, UPDATE, history, COMMIT",
	// SQLite transaction mode, fresh
	"SQLite transaction mode, fresh | ≤ 2 × the bare transaction",
	// generator, 200 packages × 20 methods
	"generator, 200 packages, warm: goverter | ≤ 1/3 of goverter",
	"generator, 200 packages, warm: mockery | ≤ 1/8 of mockery",
	"generator, 200 packages, cold build cache | ≤ 3 × warm",
	"generator, 200 packages, nothing annotated | ≤ 50 ms",
	"generator, 200 packages, peak memory | ≤ 80 MB",
	// growth
	"growth: claim at 10 million records, Postgres, 1 caller | ≤ 1.3 × at 10 thousand",
	"growth: claim at 10 million records, Postgres, 8 callers | ≤ 1.3 × at 10 thousand",
	"growth: claim at 10 million records, Postgres, 64 callers | ≤ 1.3 × at 10 thousand",
	"growth: claim at 10 million records, MariaDB, 1 caller | ≤ 1.3 × at 10 thousand",
	"growth: claim at 10 million records, MariaDB, 8 callers | ≤ 1.3 × at 10 thousand",
	"growth: claim at 10 million records, MariaDB, 64 callers | ≤ 1.3 × at 10 thousand",
	"generator, 1,000 packages against 200, all annotated | linear: ≤ 5 ×",
	"generator, 10 annotated of 1,000 packages against 10 of 10 | linear in annotated packages only: ≤ 2 ×",
}

// TestEveryBarIsInResults: each claim has one row in RESULTS.md, with a figure and a
// verdict, and RESULTS.md has no bar that nobody claims.
func TestEveryBarIsInResults(t *testing.T) {
	text, err := os.ReadFile(*out)
	if err != nil {
		t.Fatal(err)
	}
	_, bars, _ := strings.Cut(string(text), "\n## Bars\n")
	bars, _, _ = strings.Cut(bars, "\n## ")
	rows := 0
	for line := range strings.Lines(bars) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| what |") {
			rows++
		}
	}
	for _, want := range wantedBars {
		switch _, rest, _ := strings.Cut(bars, "| "+want+" | "); {
		case strings.Count(bars, "| "+want+" | ") != 1:
			t.Errorf("RESULTS.md has not one row for %q: run make bench, and make bench-growth for those on growth", want)
		default:
			figure, rest, _ := strings.Cut(rest, " | ")
			verdict, _, _ := strings.Cut(rest, " |")
			if verdict != "met" && verdict != "**not met**" || !strings.ContainsAny(figure, "0123456789") {
				t.Errorf("%q is %q, %q: run make bench, and make bench-growth for those on growth", want, figure, verdict)
			}
		}
	}
	if rows != len(wantedBars) {
		t.Errorf("RESULTS.md has %d bars, not %d", rows, len(wantedBars))
	}
}

// TestEveryBarIsMeasured: the claims are those that make bench and make bench-growth
// measure, so that the next run will have a row for each.
func TestEveryBarIsMeasured(t *testing.T) {
	measured := map[string]bool{}
	for _, b := range Bars() {
		measured[b.What+" | "+b.Bar] = true
	}
	for _, r := range GrowthBars() {
		measured[r.What+" | "+r.Bar] = true
	}
	for _, want := range wantedBars {
		if !measured[want] {
			t.Errorf("nothing measures %q", want)
		}
		delete(measured, want)
	}
	for more := range measured {
		t.Errorf("%q is measured, and nobody claims it", more)
	}
}

// TestNotesNameBars: every explanation belongs to a bar, and every bar that may be missed
// has one.
func TestNotesNameBars(t *testing.T) {
	text, err := os.ReadFile("NOTES.md")
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{"growth": true}
	for _, b := range Bars() {
		wanted[b.Note] = true
	}
	for _, n := range ParseNotes(string(text)) {
		if !wanted[n.ID] {
			t.Errorf("NOTES.md explains %q, which is of no bar", n.ID)
		}
		delete(wanted, n.ID)
	}
	for id := range wanted {
		t.Errorf("NOTES.md has no note %q", id)
	}
}

// TestGrowthRowsReachResults: what make bench-growth measures stands in the table of
// bars, whichever of the two runs comes last.
func TestGrowthRowsReachResults(t *testing.T) {
	row := func(figure string, met bool) string {
		r := GrowthBars()[0]
		r.Measured, r.Met = figure, met
		return r.String()
	}
	growth := "# Growth\n\n## Bars\n\n" + row("1.04", true) + "\n"
	table := BarTable(Measured{}, growth, []Note{{"growth", "why"}})
	if !strings.Contains(table, row("1.04", true)) || strings.Count(table, "| growth: ") != len(GrowthBars()) || strings.Contains(table, "why") {
		t.Errorf("%s", table)
	}
	if missed := BarTable(Measured{}, row("1.50", false)+"\n", []Note{{"growth", "why"}, {"redis", "other"}}); !strings.Contains(missed, "- **growth**: why") || strings.Contains(missed, "other") {
		t.Errorf("%s", missed)
	}
	again := WithGrowth("before\n"+row("1.04", true)+"\nbehind\n", row("1.50", false)+"\n")
	if again != "before\n"+row("1.50", false)+"\nbehind\n" {
		t.Errorf("%q", again)
	}
}
