package bench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/bench/races"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/cost"
	"github.com/idemgen/idemgen/internal/servers"
)

var (
	full    = flag.Bool("full", false, "measure everything and write RESULTS.md")
	samples = flag.Int("samples", 11, "samples per contestant")
	sample  = flag.Duration("sample", 60*time.Millisecond, "how long a sample takes, about")
	only    = flag.String("only", "", "with -full: the groups that begin so; no file is written without -out")
	out     = flag.String("out", results, "the file of results; GROWTH.md is beside it")
	limit   = flag.Duration("limit", 24*time.Minute, "with -full: when no more samples of the slowest peers are begun")
)

// results is what make bench writes.
const results = "RESULTS.md"

// generatorSamples are those of each generator, which take seconds.
const generatorSamples = 10

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// TestResults is make bench.
func TestResults(t *testing.T) {
	if !*full {
		t.Skip("make bench measures")
	}
	r := &recorder{t: t, began: time.Now(), config: run.Config{Samples: *samples, Sample: *sample}}
	r.memory()
	r.redis()
	r.databases()
	profiles, err := Profiles(t.Context(), r.profiled, 20**sample)
	if err != nil {
		t.Fatal(err)
	}
	r.say("profiles")
	generators, more := r.generators()
	profiles += more
	notes, err := os.ReadFile("NOTES.md")
	if err != nil {
		t.Fatal(err)
	}
	growth, err := os.ReadFile(filepath.Join(filepath.Dir(*out), "GROWTH.md"))
	if err != nil {
		t.Fatal(err)
	}
	bars := BarTable(r.measured, string(growth), ParseNotes(string(notes)))
	table := run.Table(r.measured.Races)
	if *only != "" && *out == results {
		t.Logf("\n%s\n%s\n%s\n%s", bars, table, generators, profiles)
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\n<!-- Written by make bench; the rows on growth by make bench-growth. Explanations are in NOTES.md. -->\n\n%s\n\nPeers and drivers: %s.\n\n", Machine(), Modules())
	fmt.Fprintf(&b, "Contestants of a race run by turns in one process, each sample of about %v; figures are medians, ratios are taken between samples that ran next to each other, with their 95 %% confidence interval. Absolute times are for scale. Every contestant has proved afterwards that what was timed did its work: effects, answers that were stored, and how often a body ran are counted. Round trips are counted in the same run, on connections through a proxy; the rows on growth are from GROWTH.md. Of peers that take half a minute a run there are as many samples as their rows say.\n\n", *sample)
	fmt.Fprintf(&b, "## Bars\n\n%s\n%s%s%s%s", bars, costs(), table, generators, profiles)
	if err := os.WriteFile(*out, []byte(strings.TrimRight(b.String(), "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.say(*out + " is written")
}

// recorder runs the races one after the other and keeps what they came to.
type recorder struct {
	t        *testing.T
	began    time.Time
	config   run.Config
	measured Measured
	profiled []Profiled
}

func (r *recorder) say(what string) {
	fmt.Fprintf(os.Stderr, "bench: %5.0f s  %s\n", time.Since(r.began).Seconds(), what)
}

// wanted tells whether -only names the group, or part of it.
func wanted(group string) bool {
	return strings.HasPrefix(group, *only) || strings.HasPrefix(*only, group)
}

func (r *recorder) do(races ...run.Race) {
	r.t.Helper()
	for _, race := range races {
		if !wanted(race.Group) {
			continue
		}
		got, err := race.Do(r.t.Context(), r.config)
		if err != nil {
			r.t.Fatal(err)
		}
		r.measured.Races = append(r.measured.Races, got...)
		r.say(race.ID())
	}
}

// profile notes that our contestant of a race is to be profiled.
func (r *recorder) profile(note string, race run.Race, contestant string, callers int) {
	if wanted(race.Group) {
		r.profiled = append(r.profiled, Profiled{note, race, contestant, callers})
	}
}

func (r *recorder) memory() {
	r.do(races.May(), races.Move(), races.Replay(), races.HTTP())
	r.do(races.Message()...)
	r.profile("transition", races.May(), races.Ours, 1)
	r.profile("transition", races.Move(), races.Ours, 1)
	r.profile("replay", races.Replay(), races.Ours, 1)
	r.profile("http", races.HTTP(), races.Ours, 1)
}

func (r *recorder) redis() {
	for _, masters := range []int{0, 1, 2, 3} {
		group := races.RedisGroup(masters)
		if !wanted(group) {
			continue
		}
		all := races.Redis(r.t, masters, []int{1, 8, 64})
		r.do(all...)
		if masters > 0 {
			continue
		}
		for _, race := range all {
			r.profile("redis", race, races.OursGoRedis, 64)
			r.profile("redis", race, races.OursRueidis, 64)
		}
	}
}

func (r *recorder) databases() {
	if !wanted(races.TxGroup) && !wanted(races.EventGroup) {
		return
	}
	// 0.5 ms is what a network within one region takes.
	for _, x := range append(races.Databases(r.t), races.Remote(r.t, 500*time.Microsecond)) {
		fresh, event := races.Transactions(x, []int{1, 8}), races.Events(x, []int{1, 8})
		r.do(fresh, races.Duplicates(x), event, races.EventsAgain(x))
		switch {
		case strings.HasPrefix(fresh.Name, "SQLite"):
			r.profile("sqlite", fresh, races.Ours, 1)
		case strings.HasPrefix(event.Name, "Postgres: "):
			r.profile("event", event, races.Ours, 8)
		}
	}
}

func (r *recorder) generators() (table, profile string) {
	if !wanted("Generator") {
		return "", ""
	}
	repository, err := filepath.Abs("../..")
	if err != nil {
		r.t.Fatal(err)
	}
	g, table, profile, err := RaceGenerators(r.t.Context(), repository, min(generatorSamples, *samples), r.began.Add(*limit), r.say)
	if err != nil {
		r.t.Fatal(err)
	}
	r.measured.Generators = g
	return table, profile
}

// costs are the counted costs of all operations, which make test keeps.
func costs() string {
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
