package growth

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/bench"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/servers"
)

var (
	full    = flag.Bool("full", false, "load up to 10 million records and write GROWTH.md")
	kind    = flag.String("kind", "", "with -full: this kind of database alone, and no file is written")
	most    = flag.Int("most", 10_000_000, "with -full: records of the largest table; no file is written for fewer")
	pool    = flag.Int("pool", 5120, "with -full: MiB of memory for the pool of pages of a server")
	out     = flag.String("out", "../GROWTH.md", "with -full: the file to write; RESULTS.md beside it gets the bars")
	samples = flag.Int("samples", 11, "with -full: samples per contestant")
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// TestGrowth is make bench-growth; without -full it is the same on small tables, so
// that it does not rot.
func TestGrowth(t *testing.T) {
	c := Config{Sizes: []int{200, 1_000}, Callers: []int{1, 4}, PoolMiB: 64, ScarceMiB: 32, Hasty: true, Run: run.Config{Samples: 2, Sample: 2 * time.Millisecond}}
	if *full {
		c = Config{Sizes: []int{10_000, 1_000_000, *most}, Callers: []int{1, 8, 64}, PoolMiB: *pool, ScarceMiB: 64, Run: run.Config{Samples: *samples, Sample: 150 * time.Millisecond}}
		if *most <= 1_000_000 {
			c.Sizes = []int{10_000, *most}
		}
	}
	say := func(format string, args ...any) {
		if *full {
			fmt.Fprintf(os.Stderr, "growth: "+format+"\n", args...)
		}
	}
	began := time.Now()
	var measured []Measured
	for _, k := range Kinds() {
		if !strings.HasPrefix(k.Name, *kind) {
			continue
		}
		// A test of its own: its server ends before the next one needs the memory.
		t.Run(k.Name, func(t *testing.T) {
			m, err := k.Open(t, c).Measure(t.Context(), func(what string) { say("%4.0f s  %s: %s", time.Since(began).Seconds(), k.Name, what) })
			if err != nil {
				t.Fatal(err)
			}
			measured = append(measured, m)
		})
	}
	if t.Failed() {
		return
	}
	text := Report(c, measured)
	if !*full || *kind != "" || *most < 10_000_000 {
		t.Log("\n" + text)
		return
	}
	if err := os.WriteFile(*out, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	// The bars stand in RESULTS.md, too, whichever of the two runs comes last.
	beside := filepath.Join(filepath.Dir(*out), "RESULTS.md")
	results, err := os.ReadFile(beside)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(beside, []byte(bench.WithGrowth(string(results), text)), 0o644); err != nil {
		t.Fatal(err)
	}
	say("%4.0f s  GROWTH.md is written, and its bars to RESULTS.md", time.Since(began).Seconds())
}
