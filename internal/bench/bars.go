package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/bench/races"
	"github.com/idemgen/idemgen/internal/bench/run"
)

// Bar is one claim of speed.
type Bar struct {
	What, Bar string
	Note      string // of NOTES.md that says what bounds it
	// measure finds the figure in what was measured; known is false where it has none.
	measure func(m Measured) (figure string, met, known bool)
}

// Measured is what a run of make bench came to.
type Measured struct {
	Races      []run.Result
	Generators Generators
}

// find is a contestant's line in a race with so many callers.
func (m Measured) find(race string, callers int, contestant string) (run.Line, bool) {
	for _, r := range m.Races {
		if r.Callers == callers && r.ID() == race {
			return r.Find(contestant)
		}
	}
	return run.Line{}, false
}

// ratio compares two contestants of one race with a limit.
func ratio(race string, callers int, ours, base string, limit float64) func(Measured) (string, bool, bool) {
	return func(m Measured) (string, bool, bool) {
		x, ok := m.find(race, callers, ours)
		y, also := m.find(race, callers, base)
		if !ok || !also {
			return "", false, false
		}
		s := run.Ratio(x, y)
		return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Lo, s.Hi), s.Median <= limit, true
	}
}

// allocations compares what two contestants allocate with a limit on the difference.
func allocations(race, ours, base string, more float64) func(Measured) (string, bool, bool) {
	return func(m Measured) (string, bool, bool) {
		x, ok := m.find(race, 1, ours)
		y, also := m.find(race, 1, base)
		return fmt.Sprintf("%.0f against %.0f", x.Allocs, y.Allocs), x.Allocs <= y.Allocs+more, ok && also
	}
}

// trips compares the counted round trips of contestants, step by step, with what they are
// to be. Steps that the bar does not name are left out.
func trips(race string, want []int, contestants ...string) func(Measured) (string, bool, bool) {
	return func(m Measured) (string, bool, bool) {
		var words []string
		met := true
		for _, c := range contestants {
			x, ok := m.find(race, 1, c)
			if !ok || len(x.Trips) < len(want) {
				return "", false, false
			}
			met = met && slices.Equal(x.Trips[:len(want)], want)
			words = append(words, run.TripsText(x.Trips[:len(want)])+" "+strings.TrimPrefix(c, races.Ours+", "))
		}
		return strings.Join(words, "; ") + " (counted)", met, true
	}
}

// tripsMore compares the round trips of two contestants with a limit on the difference.
func tripsMore(race, ours, base string, more int) func(Measured) (string, bool, bool) {
	return func(m Measured) (string, bool, bool) {
		x, ok := m.find(race, 1, ours)
		y, also := m.find(race, 1, base)
		if !ok || !also || len(x.Trips) != 1 || len(y.Trips) != 1 {
			return "", false, false
		}
		return fmt.Sprintf("%d against %d (counted)", x.Trips[0], y.Trips[0]), x.Trips[0] <= y.Trips[0]+more, true
	}
}

// Bars are the claims that make bench measures, in the order of the table.
func Bars() []Bar {
	bars := append(memoryBars(), redisBars()...)
	bars = append(bars, sqlBars()...)
	return append(bars, generatorBars()...)
}

func memoryBars() []Bar {
	const (
		may    = races.TransitionGroup + ": " + races.MayName
		move   = races.TransitionGroup + ": " + races.MoveName
		replay = races.MemoryGroup + ": " + races.ReplayName
		http   = races.MemoryGroup + ": " + races.HTTPName
		table  = "≤ 1.1 × a hand-written table"
	)
	return []Bar{
		{"transition check: may the event leave the state", table, "transition", ratio(may, 1, races.Ours, races.TableByHand, 1.1)},
		{"transition check: where the event leads", table, "transition", ratio(move, 1, races.Ours, races.TableByHand, 1.1)},
		{"transition check, may: allocations", "0", "transition", allocations(may, races.Ours, races.TableByHand, 0)},
		{"transition check, where: allocations", "0", "transition", allocations(move, races.Ours, races.TableByHand, 0)},
		{"typed replay from memory", "≤ 1.2 × the hand-written map with a JSON result", "replay", ratio(replay, 1, races.Ours, races.MapByHand, 1.2)},
		{"HTTP replay", "≤ 0.5 × fiber's middleware", "http", ratio(http, 1, races.Ours, races.Fiber, 0.5)},
		{"HTTP replay, allocations over the bare handler", "≤ 4", "http", allocations(http, races.Ours, races.BareHandler, 4)},
	}
}

func redisBars() []Bar {
	race := func(name string) string { return races.RedisGroup(0) + ": " + name }
	both := func(name string, want ...int) func(Measured) (string, bool, bool) {
		return trips(race(name), want, races.OursGoRedis, races.OursRueidis)
	}
	const most, exact = "≤ 1.1 × the bare commands", "trips"
	return []Bar{
		{"Redis once, fresh: round trips", "2", exact, both(races.RedisFresh, 2)},
		{"Redis once, a duplicate: round trips", "1", exact, both(races.RedisDuplicate, 1)},
		{"Redis token, issue and consume: round trips", "1 + 1", exact, both(races.RedisToken, 1, 1)},
		{"Redis lock + double check, unlock: round trips", "1 + 1", exact, both(races.RedisLock, 1, 1)},
		{"Redis once, fresh, 64 callers, go-redis", most, "redis", ratio(race(races.RedisFresh), 64, races.OursGoRedis, races.OnceByHand, 1.1)},
		{"Redis once, fresh, 64 callers, rueidis", most, "redis", ratio(race(races.RedisFresh), 64, races.OursRueidis, races.OnceByHandRueidis, 1.1)},
		{"Redis once, a duplicate, 64 callers, go-redis", most, "redis", ratio(race(races.RedisDuplicate), 64, races.OursGoRedis, races.GetByHand, 1.1)},
		{"Redis once, a duplicate, 64 callers, rueidis", most, "redis", ratio(race(races.RedisDuplicate), 64, races.OursRueidis, races.GetByHandRueidis, 1.1)},
		{"Redis token, 64 callers, go-redis", most, "redis", ratio(race(races.RedisToken), 64, races.OursGoRedis, races.TokenByHand, 1.1)},
		{"Redis token, 64 callers, rueidis", most, "redis", ratio(race(races.RedisToken), 64, races.OursRueidis, races.TokenByHandR, 1.1)},
		{"Redis lock, 64 callers, go-redis", most, "redis", ratio(race(races.RedisLock), 64, races.OursGoRedis, races.LockByHand, 1.1)},
		{"Redis lock, 64 callers, rueidis", most, "redis", ratio(race(races.RedisLock), 64, races.OursRueidis, races.LockByHandRueidis, 1.1)},
		{"Redis lock, 64 callers", "faster than redislock", "redis-lock", ratio(race(races.RedisLock), 64, races.OursGoRedis, races.Redislock, 1.0)},
	}
}

func sqlBars() []Bar {
	fresh := func(db string) string { return races.TxGroup + ": " + db + ": " + races.FreshName }
	const (
		again     = races.TxGroup + ": Postgres: " + races.AgainName
		event     = races.EventGroup + ": Postgres: " + races.EventName
		eventMore = races.EventGroup + ": Postgres: " + races.EventAgain
		more      = "≤ 2 more than the unguarded transaction"
	)
	return []Bar{
		{"Postgres, database/sql, transaction mode, fresh: statements", more, "trips", tripsMore(fresh("Postgres"), races.Ours, races.BareTx, 2)},
		{"MariaDB, transaction mode, fresh: statements", more, "trips", tripsMore(fresh("MariaDB"), races.Ours, races.BareTx, 2)},
		{"Postgres, pgx pipelined, fresh: round trips", "none more than the unguarded transaction", "trips", tripsMore(fresh("Postgres"), races.OursPgx, races.BarePgx, 0)},
		{"Postgres, pgx pipelined, a duplicate: round trips", "2", "trips", trips(again, []int{2}, races.OursPgx)},
		{"once event on Postgres, fresh: round trips", "1", "trips", trips(event, []int{1}, races.Ours)},
		{"once event on Postgres, a duplicate: round trips", "2", "trips", trips(eventMore, []int{2}, races.Ours)},
		{"once event on Postgres, 1 caller", "≤ 0.9 × BEGIN, UPDATE, COMMIT", "event", ratio(event, 1, races.Ours, races.BareUpdate, 0.9)},
		{"once event on Postgres, 8 callers", "≤ 0.8 × BEGIN, UPDATE, history, COMMIT", "event", ratio(event, 8, races.Ours, races.BareHistory, 0.8)},
		{"SQLite transaction mode, fresh", "≤ 2 × the bare transaction", "sqlite", ratio(fresh("SQLite"), 1, races.Ours, races.BareTx, 2)},
	}
}
