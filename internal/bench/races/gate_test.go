package races

import (
	"testing"

	"github.com/idemgen/idemgen/internal/bench/run"
)

// TestGate_Allocations: what an operation allocates does not depend on how busy the
// machine is, so it is held to a figure; times are in RESULTS.md.
func TestGate_Allocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates: .ci/test runs this without it")
	}
	messages := Message()
	postgres := Databases(t)[1]
	for _, g := range []struct {
		race run.Race
		name string
		most float64 // per operation
	}{
		{May(), Ours, 0},
		{Move(), Ours, 0},
		{Replay(), Ours, 14}, // 12 of them are JSON's
		{HTTP(), Ours, 6},    // the bare handler has 2
		{messages[1], Ours, 2},
		{Events(postgres, nil), Ours, 60},
	} {
		for _, c := range g.race.Contestants {
			if c.Name != g.name {
				continue
			}
			x, err := c.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			op := func() {
				if err := x.Op(t.Context(), n); err != nil {
					t.Fatal(err)
				}
				n++
			}
			op() // what is made once
			op()
			if got := testing.AllocsPerRun(200, op); got > g.most {
				t.Errorf("%s: %v allocations, at most %v", g.race.Name, got, g.most)
			} else {
				t.Logf("%s: %v allocations, at most %v", g.race.Name, got, g.most)
			}
		}
	}
}
