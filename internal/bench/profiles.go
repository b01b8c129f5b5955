package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/bench/run"
)

// Profiled is a contestant whose processor time is told function by function.
type Profiled struct {
	Note       string // of NOTES.md that reads the profile
	Race       run.Race
	Contestant string
	Callers    int
}

// Profiles is the section of RESULTS.md that shows where our time goes, for the notes on
// the bars to point at: it is taken in the same run, so that it is never older than the
// figures.
func Profiles(ctx context.Context, of []Profiled, during time.Duration) (string, error) {
	var b strings.Builder
	b.WriteString("## Profiles\n\nWhere the processor time of this process goes while ours runs alone, taken in the same run as the figures: the share of a function with what it calls, the share of it alone, and its name. What the servers use is in the columns of the races above.\n\n")
	for _, p := range of {
		text, err := p.Race.Profile(ctx, p.Contestant, p.Callers, during)
		if err != nil {
			return "", err
		}
		callers := ""
		if p.Callers > 1 {
			callers = fmt.Sprintf(", %d callers", p.Callers)
		}
		fmt.Fprintf(&b, "### %s: %s: %s%s\n\n```\n%s\n```\n\n", p.Note, p.Race.ID(), p.Contestant, callers, text)
	}
	return b.String(), nil
}
