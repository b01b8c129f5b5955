package idemtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What records keep: keys, fingerprints, outcomes, owners, and outcomes that are
// stored after a rollback.

func txRecordCases[T any]() []txCase[T] {
	return []txCase[T]{
		{"K2_BytesDecide", (*txs[T]).bytesDecide},
		{"K5_FingerprintSurvives", (*txs[T]).fingerprint},
		{"C10_OutcomesComeBackAsTheyWere", (*txs[T]).outcomes},
		{"C11_ExpiredRecordNeverBlocks", (*txs[T]).expired},
		{"C12_KeptOutcomeReplays", (*txs[T]).kept},
		{"C12_KeepersLoseToAWinner", (*txs[T]).keepLoses},
		{"C12_KeepHasOneWinner", (*txs[T]).keepRace},
		{"C12_FinalErrorIsStoredAfterTheRollback", (*txs[T]).final},
		{"C16_SameOwnerSameAnswer", (*txs[T]).sameOwner},
	}
}

func (s *txs[T]) bytesDecide() {
	pad := strings.Repeat("x", 300)
	keys := [][]idem.Part{
		{idem.String("K1")}, {idem.String("k1")}, {idem.String("k1 ")}, {idem.String(" k1")}, {idem.String("k1\x00")},
		{idem.String("ﬀ")}, {idem.String("ff")}, {idem.String("FF")}, {idem.String("é")}, {idem.String("e\u0301")}, {idem.String("e")},
		{idem.String("ß")}, {idem.String("ss")}, {idem.String("\x00")}, {idem.String("\xff\xfe")}, {idem.String("\xff")},
		{idem.String("a:b"), idem.String("c")}, {idem.String("a"), idem.String("b:c")},
		{idem.String(pad + "1")}, {idem.String(pad + "2")}, {idem.String(strings.Repeat("k", 70<<10))},
		{idem.String("'; DROP TABLE x; --")}, {idem.String("支付💳")}, {idem.Int(0)}, {idem.Bool(false)},
	}
	claims := make([]idem.Claim, len(keys))
	for i, parts := range keys {
		claims[i] = s.claim("K")
		claims[i].Key = s.key(parts...)
		s.fresh(claims[i], s.body(fmt.Sprint(i)))
	}
	for i := range keys {
		f, err := s.Store.InTx(s.ctx, again(claims[i]), s.never)
		if err != nil || f.Status != idem.Done || !sameOutcome(f.Record.Outcome, outcome(fmt.Sprint(i))) {
			s.Errorf("key %d: %v, %v with the outcome of %q", i, f.Status, err, f.Record.Outcome.Data)
		}
	}
}

func (s *txs[T]) fingerprint() {
	for name, p := range map[string]idem.Fingerprint{"some": {0: 1, 32: 7}, "none": {}} {
		c := s.claim(name)
		c.Fingerprint = p
		kept := s.claim("kept " + name)
		kept.Fingerprint = p
		s.fresh(c, s.body(name))
		if _, err := s.Store.Keep(s.ctx, kept, outcome("1")); err != nil {
			s.Fatal(err)
		}
		for _, c := range []idem.Claim{c, kept} {
			other := again(c)
			other.Fingerprint = idem.Fingerprint{0: 1, 32: 8}
			f, err := s.Store.InTx(s.ctx, other, s.never)
			if err != nil || f.Status != idem.Done || f.Record.Fingerprint != p {
				s.Errorf("%s: %v, %v, fingerprint %x, want %x", name, f.Status, err, f.Record.Fingerprint, p)
			}
			if f, err := s.Store.Lookup(s.ctx, c.Key); err != nil || f.Record.Fingerprint != p {
				s.Errorf("%s: looked up as %x, %v, want %x", name, f.Record.Fingerprint, err, p)
			}
		}
	}
}

func (s *txs[T]) outcomes() {
	large := bytes.Repeat([]byte{0, 1, 0xff, '\'', '"', '\\', '\n', '?', '$'}, 10_000)
	for i, o := range []idem.Outcome{
		{Kind: idem.Succeeded},
		{Kind: idem.Succeeded, Codec: "json", Data: []byte("null")},
		{Kind: idem.Succeeded, Codec: strings.Repeat("c", 32), Data: large},
		{Kind: idem.Failed, Codec: "json", Data: []byte(`{"text":"支付"}`)},
		{Kind: idem.Oversize},
	} {
		c := s.claim(fmt.Sprint(i))
		s.fresh(c, func(context.Context, T) (idem.Outcome, error) { return o, nil })
		s.replays(c, o)
		kept := s.claim(fmt.Sprint("kept ", i))
		if _, err := s.Store.Keep(s.ctx, kept, o); err != nil {
			s.Errorf("keep: %v", err)
		}
		s.replays(kept, o)
	}
}

func (s *txs[T]) expired() {
	called, kept := s.claim("called"), s.claim("kept")
	called.Retention, kept.Retention = short, short
	s.fresh(called, s.body("called"))
	s.keep(s.Store, kept, outcome("kept"), idem.Fresh)
	time.Sleep(pause)
	for _, c := range []idem.Claim{called, kept} {
		if f, err := s.Store.Lookup(s.ctx, c.Key); err != nil || f.Status != idem.Absent {
			s.Errorf("an expired record is looked up as %v, %v", f.Status, err)
		}
		next := again(c)
		next.Retention = time.Hour
		s.fresh(next, func(context.Context, T) (idem.Outcome, error) { return outcome("new"), nil })
		s.replays(next, outcome("new"))
	}
	for i, d := range []time.Duration{idem.Never, 100 * 365 * 24 * time.Hour, 1<<63 - 1} {
		c := s.claim(fmt.Sprint(i))
		c.Retention = d
		s.fresh(c, s.body("long"))
		s.replays(c, outcome("long"))
	}
}

func (s *txs[T]) keep(store idem.TxStore[T], c idem.Claim, o idem.Outcome, want idem.ClaimStatus) idem.Found {
	s.Helper()
	f, err := store.Keep(s.ctx, c, o)
	if err != nil || f.Status != want {
		s.Errorf("keep: %v, %v, want %v", f.Status, err, want)
	}
	return f
}

func (s *txs[T]) kept() {
	c := s.claim("K")
	refused := idem.Outcome{Kind: idem.Failed, Codec: "json", Data: []byte(`"sold out"`)}
	if _, err := s.Store.InTx(s.ctx, c, s.failing("K", errBusiness)); !errors.Is(err, errBusiness) {
		s.Errorf("%v", err)
	}
	s.keep(s.Store, c, refused, idem.Fresh)
	s.keep(s.Store, c, refused, idem.Fresh) // its first reply got lost
	s.replays(c, refused)
	for _, store := range s.stores() {
		if f := s.keep(store, again(c), outcome("late"), idem.Done); f.Record.Owner != c.Owner || !sameOutcome(f.Record.Outcome, refused) {
			s.Errorf("a late keeper is told owner %v with %q", f.Record.Owner, f.Record.Outcome.Data)
		}
	}
	s.replays(c, refused)
	s.has("K", 0)
}

// keepLoses: a call fails, another one succeeds before the first can keep its
// error.
func (s *txs[T]) keepLoses() {
	winner := s.claim("K")
	s.fresh(winner, s.body("K"))
	for _, store := range s.stores() {
		loser := again(winner)
		if f := s.keep(store, loser, idem.Outcome{Kind: idem.Failed}, idem.Done); f.Record.Owner != winner.Owner || !sameOutcome(f.Record.Outcome, outcome("K")) {
			s.Errorf("the loser is told owner %v with %q", f.Record.Owner, f.Record.Outcome.Data)
		}
	}
	s.replays(winner, outcome("K"))
}

func (s *txs[T]) keepRace() {
	c := s.claim("K")
	var fresh atomic.Int64
	answers := make(chan string, callers)
	race(callers/2, func(i int) {
		k, mine := again(c), fmt.Sprint("error ", i)
		for {
			f, err := s.store(i).Keep(s.ctx, k, outcome(mine))
			switch {
			case errors.Is(err, idem.ErrRetryTransaction):
				time.Sleep(time.Millisecond)
				continue
			case err != nil:
				s.Errorf("keeper %d: %v", i, err)
			case f.Status == idem.Fresh:
				fresh.Add(1)
				answers <- mine
			default:
				answers <- string(f.Record.Outcome.Data)
			}
			return
		}
	})
	close(answers)
	different := map[string]bool{}
	for a := range answers {
		different[a] = true
	}
	if fresh.Load() != 1 || len(different) != 1 {
		s.Errorf("%d keepers won, and they are told %d outcomes", fresh.Load(), len(different))
	}
}

// final: an error that is the outcome is stored after the rollback. Other errors
// are not.
func (s *txs[T]) final() {
	v := s.service(s.Store, idem.Op{Sentinels: []idem.Sentinel{{Name: "sold out", Err: errBusiness}}})
	v.during = func(context.Context, T) error { return idem.Final(errBusiness) }
	for range 2 {
		if _, err := v.pay(s.ctx, "final", 1); !errors.Is(err, errBusiness) {
			s.Errorf("a final error comes back as %v", err)
		}
	}
	if n := v.runs.Load(); n != 1 {
		s.Errorf("a final error: %d runs", n)
	}
	s.has("final", 0)
	v.during = func(context.Context, T) error { return errBusiness }
	for range 2 {
		if _, err := v.pay(s.ctx, "ordinary", 1); !errors.Is(err, errBusiness) {
			s.Errorf("an error comes back as %v", err)
		}
	}
	if n := v.runs.Load(); n != 3 {
		s.Errorf("an ordinary error: %d runs", n-1)
	}
	s.has("ordinary", 0)
}

func (s *txs[T]) sameOwner() {
	c := s.claim("K")
	s.fresh(c, s.body("K"))
	for name, store := range s.stores() {
		f, err := store.InTx(s.ctx, c, s.never)
		if err != nil || f.Status != idem.Done || f.Record.Owner != c.Owner || !sameOutcome(f.Record.Outcome, outcome("K")) {
			s.Errorf("the same owner in %s: %v, %v with %q", name, f.Status, err, f.Record.Outcome.Data)
		}
	}
	s.has("K", 1)
}
