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
func TestMemory(t *testing.T) { try(t, append(Message(), Transition(), Replay(), HTTP())...) }

func TestRedis(t *testing.T) {
	try(t, append(Redis(t, false, []int{1, 8}), Redis(t, true, []int{8})...)...)
}

func TestDatabases(t *testing.T) {
	for _, x := range append(Databases(t), Remote(t, 500*time.Microsecond)) {
		try(t, Transactions(x, []int{1, 4}), Duplicates(x), Events(x, []int{1, 4}))
	}
}
