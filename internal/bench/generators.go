package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/bench/gen"
	"github.com/idemgen/idemgen/internal/bench/gen/used"
	"github.com/idemgen/idemgen/internal/bench/run"
)

// idemgen is the generator that the others run against.
const idemgen = "idemgen"

// generatorCase is a tree and a state of the build cache.
type generatorCase struct {
	packages, annotated int
	cold                bool
}

// generatorCases are all of them; the last is slow, and is cut short when time is up.
var generatorCases = []generatorCase{
	{1, 1, false}, {10, 10, false}, {200, 200, false}, {200, 2, false}, {200, 0, false},
	{1000, 1000, false}, {1000, 10, false}, {200, 200, true},
}

// Generators are what the generators used, by case and name.
type Generators map[generatorCase]map[string][]used.Used

// wall is the median and its interval, in seconds; known is false where nothing ran.
func (g Generators) wall(c generatorCase, name string) (s run.Summary, known bool) {
	return g.summary(c, name, func(u used.Used) float64 { return u.Wall.Seconds() })
}

func (g Generators) summary(c generatorCase, name string, of func(used.Used) float64) (s run.Summary, known bool) {
	runs := g[c][name]
	if len(runs) == 0 {
		return s, false
	}
	var values []float64
	for _, u := range runs {
		values = append(values, of(u))
	}
	return run.Summarize(values), true
}

// RaceGenerators runs the generators on all trees, so many times each by turns. Of the
// peers with a cold build cache, which take half a minute a run, there are as many runs
// as begin before time is up, at least one. progress hears of each tree; profile is for
// the section of profiles.
func RaceGenerators(ctx context.Context, repository string, samples int, until time.Time, progress func(what string)) (g Generators, table, profile string, err error) {
	bin, err := os.MkdirTemp("", "idemgen-bench-")
	if err != nil {
		return nil, "", "", err
	}
	defer os.RemoveAll(bin)
	tools, err := gen.Build(ctx, repository, bin)
	if err != nil {
		return nil, "", "", err
	}
	g = Generators{}
	var b strings.Builder
	fmt.Fprintf(&b, "## Generator\n\nTrees of packages with %d methods each; every generator as a process, by turns, with an empty output; cold: with an empty build cache. Memory is the resident peak of its largest process, `go list` included, as the kernel told a parent of a few megabytes; 1 MB is 1,000,000 bytes.\n\n", gen.Methods)
	b.WriteString("| packages | annotated | build cache | | wall | 95 % | samples | processor | peak memory |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range generatorCases {
		rows, err := g.race(ctx, tools, c, repository, samples, until)
		if err != nil {
			return nil, "", "", err
		}
		b.WriteString(rows)
		progress(fmt.Sprintf("Generator: %d packages, %d annotated, %s", c.packages, c.annotated, c.cache()))
	}
	b.WriteByte('\n')
	profile, err = generatorProfile(ctx, tools, repository)
	return g, b.String(), profile, err
}

func (c generatorCase) cache() string {
	if c.cold {
		return "cold"
	}
	return "warm"
}

// race runs one case and returns its rows.
func (g Generators) race(ctx context.Context, tools gen.Tools, c generatorCase, repository string, samples int, until time.Time) (string, error) {
	dir, err := os.MkdirTemp("", "idemgen-bench-tree-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	tree, err := gen.MakeTree(dir, repository, c.packages, c.annotated)
	if err != nil {
		return "", err
	}
	contestants := tools.Contestants()
	if c.annotated < c.packages || c.packages > 200 {
		contestants = contestants[:1] // the others have no such thing
	}
	g[c] = map[string][]used.Used{}
	if !c.cold { // the build cache does not know this tree yet
		for _, x := range contestants {
			if x.Max != 0 && c.packages > x.Max {
				continue
			}
			if _, err := runOnce(ctx, x, tree, false); err != nil {
				return "", err
			}
		}
	}
	for i := range samples {
		for j := range contestants {
			x := contestants[(i+j)%len(contestants)]
			late := c.cold && x.Name != idemgen && i > 0 && time.Now().After(until)
			if late || x.Max != 0 && c.packages > x.Max {
				continue
			}
			u, err := runOnce(ctx, x, tree, c.cold)
			if err != nil {
				return "", err
			}
			g[c][x.Name] = append(g[c][x.Name], u)
		}
	}
	var b strings.Builder
	for _, x := range contestants {
		s, known := g.wall(c, x.Name)
		if !known {
			continue
		}
		processor, _ := g.summary(c, x.Name, func(u used.Used) float64 { return u.Processor.Seconds() })
		peak, _ := g.summary(c, x.Name, used.Used.PeakMB)
		fmt.Fprintf(&b, "| %d | %d | %s | %s | %.3g s | %.3g–%.3g | %d | %.3g s | %.0f MB |\n", c.packages, c.annotated, c.cache(), x.Name, s.Median, s.Lo, s.Hi, len(g[c][x.Name]), processor.Median, peak.Median)
	}
	if !c.cold {
		parse, scan, err := gen.Floor(tree)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %d | %d | | the floor: parse every file / look at its bytes | %.3g s / %.3g s | | 1 | | |\n", c.packages, c.annotated, parse.Seconds(), scan.Seconds())
	}
	return b.String(), nil
}

// generatorProfile is where the generator's processor time goes, and what it allocates, on
// a tree where everything is annotated.
func generatorProfile(ctx context.Context, tools gen.Tools, repository string) (string, error) {
	dir, err := os.MkdirTemp("", "idemgen-bench-tree-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	tree, err := gen.MakeTree(dir, repository, 200, 200)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range []struct{ title, flag, index string }{
		{"generator: processor time", "-cpuprofile", "cpu"},
		{"generator-memory: bytes allocated, in all", "-memprofile", "alloc_space"},
	} {
		file := filepath.Join(dir, p.index)
		x := tools.Contestants()[0]
		command := x.Command
		x.Command = func(t gen.Tree) []string { // idemgen gen -cpuprofile f ./...
			argv := command(t)
			return append([]string{argv[0], argv[1], p.flag, file}, argv[2:]...)
		}
		if _, err := runOnce(ctx, x, tree, false); err != nil {
			return "", err
		}
		text, err := run.Functions(ctx, file, "-sample_index="+p.index)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "### %s, 200 packages, everything annotated\n\n```\n%s\n```\n\n", p.title, text)
	}
	return b.String(), nil
}

func runOnce(ctx context.Context, x gen.Contestant, tree gen.Tree, cold bool) (u used.Used, err error) {
	cache := ""
	if cold {
		if cache, err = os.MkdirTemp("", "idemgen-bench-cache-"); err != nil {
			return u, err
		}
		defer os.RemoveAll(cache)
	}
	if u, err = x.Run(ctx, tree, cache); err != nil {
		return u, err
	}
	return u, x.Clean(tree)
}

func generatorBars() []Bar {
	all := generatorCase{200, 200, false}
	// times compares our wall clock in one case with somebody's in another.
	times := func(ours generatorCase, name string, theirs generatorCase, limit float64) func(Measured) (string, bool, bool) {
		return func(m Measured) (string, bool, bool) {
			x, ok := m.Generators.wall(ours, idemgen)
			y, also := m.Generators.wall(theirs, name)
			if !ok || !also {
				return "", false, false
			}
			return fmt.Sprintf("%.2f", x.Median/y.Median), x.Median/y.Median <= limit, true
		}
	}
	// most compares a figure of ours with a limit.
	most := func(c generatorCase, of func(used.Used) float64, limit float64, unit string) func(Measured) (string, bool, bool) {
		return func(m Measured) (string, bool, bool) {
			s, known := m.Generators.summary(c, idemgen, of)
			return fmt.Sprintf("%.0f %s (%.0f–%.0f)", s.Median, unit, s.Lo, s.Hi), s.Median <= limit, known
		}
	}
	const time, memory = "generator", "generator-memory"
	return []Bar{
		{"generator, 200 packages, warm: goverter", "≤ 1/3 of goverter", time, times(all, "goverter", all, 1.0/3)},
		{"generator, 200 packages, warm: mockery", "≤ 1/8 of mockery", time, times(all, "mockery", all, 1.0/8)},
		{"generator, 200 packages, cold build cache", "≤ 3 × warm", time, times(generatorCase{200, 200, true}, idemgen, all, 3)},
		{"generator, 200 packages, nothing annotated", "≤ 50 ms", time, most(generatorCase{200, 0, false}, func(u used.Used) float64 { return u.Wall.Seconds() * 1e3 }, 50, "ms")},
		{"generator, 200 packages, peak memory", "≤ 80 MB", memory, most(all, used.Used.PeakMB, 80, "MB")},
		{"generator, 1,000 packages against 200, all annotated", "linear: ≤ 5 ×", time, times(generatorCase{1000, 1000, false}, idemgen, all, 5)},
		{"generator, 10 annotated of 1,000 packages against 10 of 10", "linear in annotated packages only: ≤ 2 ×", time, times(generatorCase{1000, 10, false}, idemgen, generatorCase{10, 10, false}, 2)},
	}
}
