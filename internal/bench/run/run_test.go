package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// brief is enough to run a race.
var brief = Config{Samples: 4, Sample: time.Millisecond}

func contestant(name string, r Running) Contestant {
	return Contestant{Name: name, Start: func(context.Context) (Running, error) { return r, nil }}
}

func nothing(context.Context, int) error { return nil }

// TestRefusesWhatProvesNothing: without a Verify nothing is timed, and where it fails
// there is no result.
func TestRefusesWhatProvesNothing(t *testing.T) {
	r := Race{Contestants: []Contestant{contestant("idle", Running{Op: nothing})}}
	if _, err := r.Do(t.Context(), brief); !errors.Is(err, errNoVerify) {
		t.Errorf("%v", err)
	}
	lazy := errors.New("lazy")
	r.Contestants[0] = contestant("idle", Running{Op: nothing, Verify: func(context.Context, int) error { return lazy }})
	if res, err := r.Do(t.Context(), brief); !errors.Is(err, lazy) || res != nil {
		t.Errorf("%v, %v", res, err)
	}
}

// TestVerifyHearsOfEveryOperation: none is left out of what is proved, by however many
// callers it was done, and no sample is larger than it may be.
func TestVerifyHearsOfEveryOperation(t *testing.T) {
	for _, callers := range []int{1, 5} {
		var done atomic.Int64
		bursts := 0
		r := Race{Callers: []int{callers}, Figures: []Figure{{Name: "done"}}, Contestants: []Contestant{contestant("x", Running{
			Most:    40,
			Op:      func(context.Context, int) error { done.Add(1); return nil },
			Between: func(context.Context) error { bursts++; return nil },
			Meter:   func(context.Context) ([]float64, error) { return []float64{3 * float64(done.Load())}, nil },
			Verify: func(_ context.Context, ops int) error {
				if done.Load() != int64(ops) || ops > (bursts)*40 {
					return errors.New("miscounted")
				}
				return nil
			}})}}
		res, err := r.Do(t.Context(), brief)
		if err != nil {
			t.Fatal(err)
		}
		if got := res[0].Lines[0].Figures[0]; got != 3 {
			t.Errorf("the meter grew by %v an operation, not 3", got)
		}
	}
}

// TestRatioIsTakenSideBySide: samples of one index are compared, whatever was asked of
// the lines before.
func TestRatioIsTakenSideBySide(t *testing.T) {
	base := Line{NsPerOp: []float64{9, 1, 5, 3, 7, 2, 8, 4, 6, 10}}
	twice := Line{}
	for _, ns := range base.NsPerOp {
		twice.NsPerOp = append(twice.NsPerOp, 2*ns)
	}
	Summarize(base.NsPerOp)
	s := Ratio(twice, base)
	if math.Abs(s.Lo-2) > 1e-9 || math.Abs(s.Hi-2) > 1e-9 {
		t.Errorf("%+v, not 2 throughout", s)
	}
}

// TestTripsAreTheLeastOfEachStep: what comes on top now and then is not the step's.
func TestTripsAreTheLeastOfEachStep(t *testing.T) {
	total, n := 0, 0
	wire := Wire{Reset: func() { total = 0 }, Total: func() int { return total }}
	steps := []func(context.Context, int) error{
		func(context.Context, int) error { total++; return nil },
		func(context.Context, int) error {
			if total += 2; n%3 == 0 {
				total += 5
			}
			n++
			return nil
		},
	}
	verified := 0
	twin := contestant("x", Running{Op: nothing, Steps: steps, Verify: func(_ context.Context, ops int) error { verified = ops; return nil }})
	real := contestant("x", Running{Op: nothing, Verify: func(context.Context, int) error { return nil }})
	res, err := Race{Unit: "call", Contestants: Counted([]Contestant{real}, []Contestant{twin}, wire)}.Do(t.Context(), brief)
	if err != nil {
		t.Fatal(err)
	}
	if got := TripsText(res[0].Lines[0].Trips); got != "1 + 2" || verified != n {
		t.Errorf("%s trips, %d of %d operations verified", got, verified, n)
	}
	if table := Table(res); !strings.Contains(table, "| 1 + 2 |") {
		t.Error(table)
	}
}

// TestProfileNamesWhatWorks: the function that burns the time is in the lines.
func TestProfileNamesWhatWorks(t *testing.T) {
	r := Race{Contestants: []Contestant{contestant("busy", Running{
		Op:     func(context.Context, int) error { sha256.Sum256(make([]byte, 1<<16)); return nil },
		Verify: func(context.Context, int) error { return nil }})}}
	text, err := r.Profile(t.Context(), "busy", 1, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "sha256.Sum256") {
		t.Errorf("no hash in\n%s", text)
	}
	if _, err := r.Profile(t.Context(), "nobody", 1, time.Millisecond); err == nil {
		t.Error("nobody was profiled")
	}
}

// TestFunctionsAreReadFromPprof: shares, names without the noise of generics, and which
// are ours.
func TestFunctionsAreReadFromPprof(t *testing.T) {
	got := functions("Type: cpu\n      flat  flat%   sum%        cum   cum%\n" +
		"     0.01s  1.25%  1.25%      0.72s 90.00%  github.com/idemgen/idemgen/runtime/idem.Once[go.shape.*uint8] (inline)\n" +
		"         0     0%  1.25%      0.71s 88.75%  github.com/idemgen/idemgen/internal/bench/run.(*runner).burst\n" +
		"     0.10s 12.50% 13.75%      0.20s 25.00%  encoding/json.Unmarshal\n")
	want := []function{{"idemgen/idem.Once", 90, 1.25}, {"encoding/json.Unmarshal", 25, 12.5}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if !ours.MatchString(want[0].name) || !others.MatchString(want[1].name) || others.MatchString("encoding/json.(*decodeState).object") {
		t.Error("whose is it?")
	}
}
