package races

import (
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/bench/run"
)

// brief is enough to see that each contestant does its work.
var brief = run.Config{Samples: 3, Sample: 2 * time.Millisecond}

func try(t *testing.T, races ...run.Race) {
	t.Helper()
	var results []run.Result
	for _, r := range races {
		got, err := r.Do(t.Context(), brief)
		if err != nil {
			t.Error(err)
		}
		results = append(results, got...)
	}
	t.Log("\n" + run.Table(results))
}

// TestMemory, TestRedis and the others run every race once, briefly: no contestant rots.
func TestMemory(t *testing.T) { try(t, append(Message(), May(), Move(), Replay(), HTTP())...) }

func TestRedis(t *testing.T) {
	try(t, append(Redis(t, 0, []int{1, 8}), append(Redis(t, 1, []int{8}), Redis(t, 2, []int{8})...)...)...)
}

func TestDatabases(t *testing.T) {
	for _, x := range append(Databases(t), Remote(t, 500*time.Microsecond)) {
		try(t, Transactions(x, []int{1, 4}), Duplicates(x), Events(x, []int{1, 4}), EventsAgain(x))
	}
}

// TestEveryContestantProvesItsWork: of each, the work that it did is proved, and what it
// did not do is missed.
func TestEveryContestantProvesItsWork(t *testing.T) {
	races := append(Message(), May(), Move(), Replay(), HTTP())
	races = append(races, Redis(t, 0, nil)...)
	for _, x := range Databases(t) {
		races = append(races, Transactions(x, nil), Duplicates(x), Events(x, nil), EventsAgain(x))
	}
	const ops = 3
	for _, r := range races {
		for _, c := range r.Contestants {
			for _, done := range []int{0, ops - 1, ops} {
				x, err := c.Start(t.Context())
				if err != nil {
					t.Fatalf("%s: %s: %v", r.ID(), c.Name, err)
				}
				for i := range done {
					if err := x.Op(t.Context(), i); err != nil {
						t.Errorf("%s: %s: %v", r.ID(), c.Name, err)
					}
				}
				if err := x.Verify(t.Context(), ops); (err == nil) != (done == ops) {
					t.Errorf("%s: %s: of %d operations %d were done, and the proof says: %v", r.ID(), c.Name, ops, done, err)
				}
				if x.Close != nil {
					x.Close()
				}
			}
		}
	}
}
