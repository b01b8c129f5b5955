package growth

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/bench"
	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

var full = flag.Bool("full", false, "load up to 10 million records and write GROWTH.md")

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// TestGrowth is make bench-growth; without -full it is the same on small tables, so
// that it does not rot.
func TestGrowth(t *testing.T) {
	sizes, config, callers := []int{100, 1_000}, run.Config{Samples: 2, Sample: 2 * time.Millisecond}, []int{1, 4}
	if *full {
		sizes, config, callers = []int{10_000, 1_000_000, 10_000_000}, run.Config{Samples: 11, Sample: 150 * time.Millisecond}, []int{1, 8, 64}
	}
	var results []run.Result
	var loads strings.Builder
	for _, d := range Databases(t) {
		stores := map[int]*sqlstore.Store{}
		for _, size := range sizes {
			began := time.Now()
			s, err := d.Load(t.Context(), size)
			if err != nil {
				t.Fatal(err)
			}
			stores[size] = s
			fmt.Fprintf(&loads, "%s: %d records loaded in %.0f s. ", d.Name, size, time.Since(began).Seconds())
			if *full {
				fmt.Fprintf(os.Stderr, "growth: %s: %d records loaded in %.0f s\n", d.Name, size, time.Since(began).Seconds())
			}
		}
		for _, r := range d.Races(stores, sizes, callers) {
			got, err := r.Do(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, got...)
			if *full {
				fmt.Fprintf(os.Stderr, "growth: %s: %s\n", d.Name, r.Name)
			}
		}
	}
	table := run.Table(results)
	if !*full {
		t.Log("\n" + table)
		return
	}
	text := fmt.Sprintf("# Growth\n\n<!-- Written by make bench-growth. -->\n\n%s\n\n%s\n\nEach race runs one operation on tables of three sizes by turns; ratios are against the smallest. A tenth of the loaded records has expired. The bar: a claim at 10 million records takes at most 1.3 × what it takes at 10 thousand.\n\n%s",
		bench.Machine(), strings.TrimSpace(loads.String()), table)
	if err := os.WriteFile("../GROWTH.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
