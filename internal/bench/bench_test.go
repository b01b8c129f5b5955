package bench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/bench/gen"
	"github.com/idemgen/idemgen/internal/bench/races"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/cost"
	"github.com/idemgen/idemgen/internal/servers"
)

var (
	full    = flag.Bool("full", false, "measure everything and write RESULTS.md")
	samples = flag.Int("samples", 11, "samples per contestant")
	sample  = flag.Duration("sample", 60*time.Millisecond, "how long a sample takes, about")
	only    = flag.String("only", "", "with -full: the groups that begin so, and no file is written")
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// TestResults is make bench.
func TestResults(t *testing.T) {
	if !*full {
		t.Skip("make bench measures")
	}
	began := time.Now()
	config := run.Config{Samples: *samples, Sample: *sample}
	var results []run.Result
	do := func(rs ...run.Race) {
		t.Helper()
		for _, r := range rs {
			if !strings.HasPrefix(r.Group, *only) {
				continue
			}
			got, err := r.Do(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, got...)
			fmt.Fprintf(os.Stderr, "bench: %5.0f s  %s: %s\n", time.Since(began).Seconds(), r.Group, r.Name)
		}
	}
	// The generator first: what a process is said to have had at most includes what this
	// one has when it starts it.
	var generator string
	var more [][4]string
	if *only == "" || strings.HasPrefix("Generator", *only) {
		generator, more = generators(t, began)
	}
	do(races.Transition(), races.Replay(), races.HTTP())
	do(races.Message()...)
	if strings.HasPrefix("Runtime: Redis", *only) || strings.HasPrefix(*only, "Runtime: Redis") {
		do(races.Redis(t, false, []int{1, 8, 64})...)
		do(races.Redis(t, true, []int{1, 8, 64})...)
	}
	if *only == "" || strings.HasPrefix(*only, "Runtime: t") || strings.HasPrefix(*only, "Runtime: e") {
		for _, x := range append(races.Databases(t), races.Remote(t, 500*time.Microsecond)) {
			do(races.Transactions(x, []int{1, 8}), races.Duplicates(x))
			do(races.Events(x, []int{1, 8}))
		}
	}
	table := run.Table(results)
	text, err := os.ReadFile("NOTES.md")
	if err != nil {
		t.Fatal(err)
	}
	bars := BarTable(Bars(), results, more, ParseNotes(string(text)))
	if *only != "" {
		t.Logf("\n%s\n%s\n%s", bars, table, generator)
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\n<!-- Written by make bench. Explanations are in NOTES.md. -->\n\n%s\n\nPeers and drivers: %s.\n\n", Machine(), Modules())
	fmt.Fprintf(&b, "Contestants of a race run by turns in one process, %d samples each of about %v; figures are medians, ratios are taken between samples that ran next to each other, with their 95 %% confidence interval. Absolute times are for scale; the proxy that stands for a network is asked for 0.5 ms a round trip, and its timers make about 2.4 ms of it on this machine. Contestants on databases proved afterwards that they had done their work, the others look at each answer. SQLite is on disk; slow peers have fewer samples, as their rows say.\n\n", *samples, *sample)
	fmt.Fprintf(&b, "## Bars\n\n%s\n%s%s\n%s", bars, trips(), table, generator)
	if err := os.WriteFile("RESULTS.md", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "bench: RESULTS.md is written, after %.0f s\n", time.Since(began).Seconds())
}

// trips are the counted costs, which make test keeps.
func trips() string {
	var b strings.Builder
	b.WriteString("## Round trips\n\nCounted by tests of the stores, in make test; statements on SQLite. Transactions are counted with one business statement.\n\n| operation |")
	rule := "|---|"
	for _, s := range cost.Stores() {
		fmt.Fprintf(&b, " %s |", s)
		rule += "---|"
	}
	b.WriteString("\n" + rule + "\n")
	for _, r := range cost.Rows() {
		fmt.Fprintf(&b, "| %s |", r.Name)
		for _, s := range cost.Stores() {
			if n, ok := r.On(s); ok {
				fmt.Fprintf(&b, " %d |", n)
			} else {
				b.WriteString(" – |")
			}
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.String()
}

// generators races the generator, and returns its table and its bars.
func generators(t *testing.T, began time.Time) (table string, bars [][4]string) {
	t.Helper()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := gen.Build(t.Context(), repository, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## Generator\n\nTrees of packages with %d methods each; every generator as a process, by turns, with an empty output; cold: with an empty build cache. Memory is that of its largest process, `go list` included, and at least what the measuring process had when it started it: an upper bound.\n\n", gen.Methods)
	b.WriteString("| packages | annotated | build cache | | wall | 95 % | processor | peak memory |\n|---|---|---|---|---|---|---|---|\n")
	walls, peaks := map[string]run.Summary{}, map[string]float64{}
	for _, c := range []struct {
		packages, annotated int
		cold                bool
		runs                int
	}{
		{1, 1, false, 10}, {10, 10, false, 10}, {200, 200, false, 10}, {200, 200, true, 4}, {200, 2, false, 10}, {200, 0, false, 10}, {1000, 1000, false, 4}, {1000, 10, false, 4},
	} {
		tree, err := gen.MakeTree(t.TempDir(), repository, c.packages, c.annotated)
		if err != nil {
			t.Fatal(err)
		}
		contestants := tools.Contestants()
		if c.annotated < c.packages || c.packages > 200 {
			contestants = contestants[:1] // the others have no such thing
		}
		got := map[string][]gen.Usage{}
		for i := range c.runs {
			for j := range contestants {
				x := contestants[(i+j)%len(contestants)]
				if x.Max != 0 && c.packages > x.Max || x.Name == "mockery" && c.packages > 10 && i > 2 || c.cold && x.Name != "idemgen" && i > 0 {
					continue
				}
				cache := ""
				if c.cold {
					cache = t.TempDir()
				}
				u, err := x.Run(t.Context(), tree, cache)
				if err != nil {
					t.Fatal(err)
				}
				got[x.Name] = append(got[x.Name], u)
				if err := x.Clean(tree); err != nil {
					t.Fatal(err)
				}
			}
		}
		warm := "warm"
		if c.cold {
			warm = "cold"
		}
		for _, x := range contestants {
			us := got[x.Name]
			if len(us) == 0 {
				continue
			}
			var wall, user, peak []float64
			for _, u := range us {
				wall, user, peak = append(wall, u.Wall.Seconds()), append(user, u.User.Seconds()), append(peak, u.PeakMiB)
			}
			s := run.Summarize(wall)
			id := fmt.Sprintf("%s %d %d %s", x.Name, c.packages, c.annotated, warm)
			walls[id], peaks[id] = s, run.Summarize(peak).Median
			fmt.Fprintf(&b, "| %d | %d | %s | %s | %.2f s | %.2f–%.2f (%d runs) | %.2f s | %.0f MiB |\n", c.packages, c.annotated, warm, x.Name, s.Median, s.Lo, s.Hi, len(us), run.Summarize(user).Median, peaks[id])
		}
		parse, scan, err := gen.Floor(tree)
		if err != nil {
			t.Fatal(err)
		}
		if !c.cold {
			fmt.Fprintf(&b, "| %d | %d | | the floor: parse every file / look at its bytes | %.3f s / %.3f s | | | |\n", c.packages, c.annotated, parse.Seconds(), scan.Seconds())
		}
		fmt.Fprintf(os.Stderr, "bench: %5.0f s  Generator: %d packages, %d annotated, %s\n", time.Since(began).Seconds(), c.packages, c.annotated, warm)
	}
	b.WriteByte('\n')
	bar := func(what, limit string, value float64, met bool, unit string) {
		word := "met"
		if !met {
			word = "**not met**"
		}
		bars = append(bars, [4]string{what, limit, fmt.Sprintf("%.3g%s", value, unit), word})
	}
	ours := walls["idemgen 200 200 warm"].Median
	goverter, mockery := ours/walls["goverter 200 200 warm"].Median, ours/walls["mockery 200 200 warm"].Median
	cold, nothing := walls["idemgen 200 200 cold"].Median/ours, walls["idemgen 200 0 warm"].Median*1000
	bar("generator, 200 packages, warm", "≤ 1/3 of goverter", goverter, goverter <= 1.0/3, "")
	bar("generator, 200 packages, warm", "≤ 1/8 of mockery", mockery, mockery <= 1.0/8, "")
	bar("generator, 200 packages, cold build cache", "≤ 3 × warm", cold, cold <= 3, "")
	bar("generator, 200 packages, nothing annotated", "≤ 50 ms", nothing, nothing <= 50, " ms")
	bar("generator, 200 packages, peak memory", "≤ 80 MB", peaks["idemgen 200 200 warm"], peaks["idemgen 200 200 warm"] <= 80, " MiB")
	linear := walls["idemgen 1000 1000 warm"].Median / walls["idemgen 200 200 warm"].Median
	bar("generator, 1,000 packages against 200, all annotated", "linear: ≤ 5", linear, linear <= 5, "")
	few := walls["idemgen 1000 10 warm"].Median / walls["idemgen 10 10 warm"].Median
	bar("generator, 10 annotated of 1,000 packages against 10 of 10", "linear in annotated packages only", few, few <= 2, " ×")
	return b.String(), bars
}

// TestNotesNameBars: every explanation belongs to a bar, and RESULTS.md has all bars.
func TestNotesNameBars(t *testing.T) {
	text, err := os.ReadFile("NOTES.md")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{"trips": true, "generator": true, "growth": true}
	results, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range Bars() {
		ids[b.ID] = true
		if !strings.Contains(string(results), "| "+b.What+" | "+b.Bar+" |") {
			t.Errorf("RESULTS.md has no row for %q, %q: run make bench", b.What, b.Bar)
		}
	}
	for id := range ParseNotes(string(text)) {
		if !ids[id] {
			t.Errorf("NOTES.md explains %q, which is no bar", id)
		}
	}
}
