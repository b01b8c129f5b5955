package run

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// function is a line of a profile: shares in percent.
type function struct {
	name      string
	cum, flat float64 // with what it calls, and alone
}

// How many lines each part of a profile has.
const (
	mostOurs   = 18
	mostOthers = 10
	mostFlat   = 8
)

// Functions reads a profile with go tool pprof and writes what it says in three parts:
// our functions with what they call, the largest first; the exported ones of others; and
// those in which the time itself goes. Options are pprof's, such as what is counted.
func Functions(ctx context.Context, file string, options ...string) (string, error) {
	args := append([]string{"tool", "pprof", "-top", "-cum", "-nodefraction=0.002", "-nodecount=1000"}, options...)
	out, err := exec.CommandContext(ctx, "go", append(args, file)...).Output()
	if err != nil {
		return "", fmt.Errorf("go tool pprof: %w", err)
	}
	all := functions(string(out))
	var b strings.Builder
	part := func(title string, of func(function) bool, most int) {
		b.WriteString(title + "\n")
		for _, f := range all {
			if most > 0 && of(f) {
				most--
				fmt.Fprintf(&b, "%6.1f %% %6.1f %%  %s\n", f.cum, f.flat, f.name)
			}
		}
	}
	part("with callees    alone  ours", func(f function) bool { return ours.MatchString(f.name) }, mostOurs)
	part("with callees    alone  others, exported", func(f function) bool { return others.MatchString(f.name) && !ours.MatchString(f.name) }, mostOthers)
	slices.SortStableFunc(all, func(x, y function) int { return cmp.Compare(y.flat, x.flat) })
	part("with callees    alone  where it ends", func(f function) bool { return f.flat > 0 }, mostFlat)
	return strings.TrimRight(b.String(), "\n"), nil
}

var (
	// topLine is a line of pprof: flat, flat%, sum%, cum, cum%, function.
	topLine = regexp.MustCompile(`^\s*\S+\s+([\d.]+)%\s+\S+%\s+\S+\s+([\d.]+)%\s+(.+)$`)
	// ours are functions of this repository, but for the races.
	ours = regexp.MustCompile(`^idemgen/`)
	// races are the frames of the race itself, which are no news.
	races = regexp.MustCompile(`/internal/bench(/run|/races)?\.`)
	// others are exported functions and methods, and the allocator.
	others = regexp.MustCompile(`^runtime\.(mallocgc|gcBgMarkWorker|mcall)$|^[^(]*\.[A-Z][A-Za-z0-9]*$|^[^(]*\.\(\*?[A-Z]\w*\)\.[A-Z]\w*$`)
	shape  = regexp.MustCompile(`\[go\.shape.*\]|\[\.\.\.\]`)
)

// functions reads the lines of go tool pprof -top.
func functions(text string) (all []function) {
	for line := range strings.Lines(text) {
		m := topLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || races.MatchString(m[3]) {
			continue
		}
		flat, err := strconv.ParseFloat(m[1], 64)
		cum, also := strconv.ParseFloat(m[2], 64)
		if err != nil || also != nil {
			continue
		}
		name := shape.ReplaceAllString(strings.TrimSuffix(m[3], " (inline)"), "")
		if rest, ok := strings.CutPrefix(name, "github.com/idemgen/"); ok {
			name = strings.TrimPrefix(strings.TrimPrefix(rest, "idemgen/runtime/"), "idemgen/internal/bench/races/")
			name = "idemgen/" + strings.TrimPrefix(name, "idemgen/")
		}
		all = append(all, function{name, cum, flat})
	}
	return all
}
