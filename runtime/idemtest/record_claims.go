package idemtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// callers is how many goroutines race for one key.
const callers = 50

// race runs f in many goroutines at once.
func (s *records) race(f func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range callers {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			f(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// oneWinner lets many owners claim a key and expects one fresh claim, and
// running for all others.
func (s *records) oneWinner(k idem.Key) {
	s.Helper()
	var fresh, running atomic.Int64
	s.race(func(int) {
		f, err := s.store.Claim(context.Background(), s.ask(k))
		switch {
		case err != nil:
			s.Errorf("claim: %v", err)
		case f.Status == idem.Fresh:
			fresh.Add(1)
		case f.Status == idem.Running:
			running.Add(1)
		default:
			s.Errorf("claim: %v", f.Status)
		}
	})
	if fresh.Load() != 1 || running.Load() != callers-1 {
		s.Fatalf("%d fresh and %d running of %d callers", fresh.Load(), running.Load(), callers)
	}
}

func (s *records) oneOfManyClaims() { s.oneWinner(s.key(idem.String("K"))) }

func (s *records) claimTells() {
	k := s.key(idem.String("K"))
	first := s.ask(k)
	h := s.fresh(first)
	f := s.claim(s.ask(k), idem.Running)
	if f.Record.Owner != first.Owner || f.Record.Fence != h.Fence || f.Record.Fingerprint != first.Fingerprint || f.Record.Orphan != first.Orphan {
		s.Fatalf("a running record tells %+v", f.Record)
	}
	if left := f.Record.LeaseLeft; left <= 0 || left > long {
		s.Fatalf("lease left %v of %v", left, long)
	}
	s.complete(h, outcome("1"))
	f = s.claim(s.ask(k), idem.Done)
	if f.Record.Owner != first.Owner || f.Record.Fingerprint != first.Fingerprint || !sameOutcome(f.Record.Outcome, outcome("1")) {
		s.Fatalf("a completed record tells %+v", f.Record)
	}
	none := s.ask(s.key(idem.String("no fingerprint")))
	none.Fingerprint = idem.Fingerprint{}
	s.fresh(none)
	if r := s.is(none.Key, idem.Running); r.Fingerprint != none.Fingerprint {
		s.Fatalf("no fingerprint came back as %x", r.Fingerprint)
	}
}

func (s *records) lookWritesNothing() {
	k := s.key(idem.String("K"))
	look := s.ask(k)
	look.Look = true
	s.claim(look, idem.Absent)
	s.claim(look, idem.Absent)
	s.is(k, idem.Absent)
	h := s.fresh(s.ask(k))
	s.claim(look, idem.Running)
	s.complete(h, outcome("1"))
	s.claim(look, idem.Done)

	vanished := s.ask(s.key(idem.String("vanished")))
	vanished.Lease = short
	old := s.fresh(vanished)
	time.Sleep(pause)
	look.Key = vanished.Key
	s.claim(look, idem.Absent)
	s.complete(old, outcome("2")) // still the old owner's
}

func (s *records) outcomes() {
	large := bytes.Repeat([]byte{0, 1, 0xff, '\'', '"', '\\', '\n'}, 10_000)
	for i, o := range []idem.Outcome{
		{Kind: idem.Succeeded},
		{Kind: idem.Succeeded, Codec: "json", Data: []byte("null")},
		{Kind: idem.Succeeded, Codec: "x", Data: []byte{0}},
		{Kind: idem.Succeeded, Codec: strings.Repeat("c", 32), Data: large},
		{Kind: idem.Failed, Codec: "json", Data: []byte(`{"text":"支付"}`)},
		{Kind: idem.Oversize},
	} {
		k := s.key(idem.Int(i))
		s.complete(s.fresh(s.ask(k)), o)
		if got := s.claim(s.ask(k), idem.Done).Record.Outcome; !sameOutcome(got, o) {
			s.Errorf("outcome %d came back as %v %q, %d bytes", i, got.Kind, got.Codec, len(got.Data))
		}
		if got := s.is(k, idem.Done).Outcome; !sameOutcome(got, o) {
			s.Errorf("outcome %d is looked up as %v %q, %d bytes", i, got.Kind, got.Codec, len(got.Data))
		}
	}
}

func (s *records) expiredRecord() {
	k := s.key(idem.String("K"))
	first := s.fresh(s.ask(k))
	done := time.Now()
	if err := s.store.Complete(context.Background(), first, outcome("1"), short); err != nil {
		s.Fatal(err)
	}
	f, err := s.store.Lookup(context.Background(), k)
	if err != nil {
		s.Fatal(err)
	}
	if f.Status != idem.Done && time.Since(done) < short { // a busy machine may have slept
		s.Fatalf("look-up: %v before it expired", f.Status)
	}
	time.Sleep(pause)
	s.is(k, idem.Absent)
	second := s.fresh(s.ask(k))
	r := s.is(k, idem.Running)
	if r.Outcome.Kind != 0 || len(r.Outcome.Data) != 0 {
		s.Fatal("the new record has the old outcome")
	}
	s.wants("late complete", s.store.Complete(context.Background(), first, outcome("old"), time.Hour), idem.ErrLeaseLost)
	s.complete(second, outcome("2"))
	if r := s.is(k, idem.Done); !sameOutcome(r.Outcome, outcome("2")) {
		s.Fatalf("the outcome is %q", r.Outcome.Data)
	}
}

func (s *records) expiredRace() {
	k := s.key(idem.String("K"))
	if err := s.store.Complete(context.Background(), s.fresh(s.ask(k)), outcome("1"), short); err != nil {
		s.Fatal(err)
	}
	time.Sleep(pause)
	s.oneWinner(k)
}

// storm lets callers claim, fail, release and complete one key over and over:
// rows vanish between a conflict and the read that follows it.
func (s *records) storm() {
	k := s.key(idem.String("K"))
	var inside, completed atomic.Int64
	s.race(func(i int) {
		for try := 0; ; try++ {
			c := s.ask(k)
			f, err := s.store.Claim(context.Background(), c)
			if err != nil {
				s.Errorf("claim: %v", err)
				return
			}
			switch f.Status {
			case idem.Done:
				return
			case idem.Running:
				time.Sleep(time.Duration(try%5) * time.Millisecond)
				continue
			case idem.Fresh:
			default:
				s.Errorf("claim: %v", f.Status)
				return
			}
			h := idem.Hold{Key: k, Owner: c.Owner, Fence: f.Record.Fence}
			if inside.Add(1) != 1 {
				s.Error("two owners at a time")
			}
			runtime.Gosched()
			last := try > 3 && i%10 == 0
			inside.Add(-1)
			if !last {
				if err := s.store.Release(context.Background(), h); err != nil {
					s.Errorf("release: %v", err)
				}
				continue
			}
			completed.Add(1)
			if err := s.store.Complete(context.Background(), h, outcome("1"), time.Hour); err != nil {
				s.Errorf("complete: %v", err)
			}
		}
	})
	if completed.Load() != 1 {
		s.Fatalf("completed %d times", completed.Load())
	}
}

func (s *records) bytesDecide() {
	pad := strings.Repeat("x", 300)
	keys := [][]idem.Part{
		{idem.String("K1")}, {idem.String("k1")}, {idem.String("k1 ")}, {idem.String(" k1")}, {idem.String("k1\x00")},
		{idem.String("ﬀ")}, {idem.String("ff")}, {idem.String("FF")}, {idem.String("é")}, {idem.String("e\u0301")}, {idem.String("e")},
		{idem.String("ß")}, {idem.String("ss")}, {idem.String("\x00")}, {idem.String("\x00\x00")}, {idem.String("\xff\xfe")}, {idem.String("\xff")},
		{idem.String("a:b"), idem.String("c")}, {idem.String("a"), idem.String("b:c")}, {idem.String("a"), idem.String("b"), idem.String("c")}, {idem.String("a:b:c")},
		{idem.String(pad + "1")}, {idem.String(pad + "2")}, {idem.String(strings.Repeat("k", 70<<10))}, {idem.String(strings.Repeat("k", 70<<10) + "k")},
		{idem.String("%")}, {idem.String("_")}, {idem.String("'; DROP TABLE x; --")}, {idem.String("支付")}, {idem.String("💳")},
		{idem.Int(0)}, {idem.Bool(false)}, {idem.Array([16]byte{15: 1})}, {idem.Array([16]byte{14: 1})},
	}
	for i, parts := range keys {
		s.complete(s.fresh(s.ask(s.key(parts...))), idem.Outcome{Kind: idem.Succeeded, Codec: "i", Data: []byte{byte(i)}})
	}
	for i, parts := range keys {
		f := s.claim(s.ask(s.key(parts...)), idem.Done)
		if len(f.Record.Outcome.Data) != 1 || f.Record.Outcome.Data[0] != byte(i) {
			s.Errorf("key %d has the outcome of another: %v", i, f.Record.Outcome.Data)
		}
	}
}

func (s *records) longTimes() {
	for i, d := range []time.Duration{idem.Never, 100 * 365 * 24 * time.Hour, 1<<63 - 1} {
		k := s.key(idem.Int(i))
		c := s.ask(k)
		c.Retention = d
		if d > 0 {
			c.Lease = d
		}
		if err := s.store.Complete(context.Background(), s.fresh(c), outcome("1"), d); err != nil {
			s.Fatalf("retention %v: %v", d, err)
		}
		s.claim(s.ask(k), idem.Done)
	}
}

func (s *records) endedContext() {
	k := s.key(idem.String("K"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.store.Claim(ctx, s.ask(k)); !errors.Is(err, context.Canceled) {
		s.Fatalf("claim on an ended context: %v", err)
	}
	s.is(k, idem.Absent)
	h := s.fresh(s.ask(k))
	if err := s.store.Release(ctx, h); err == nil {
		s.Fatal("release on an ended context succeeded")
	}
	s.is(k, idem.Running)
}

// through runs guarded calls on the store, as generated code does.
func (s *records) through() {
	engine := idem.New(idem.GlobalScope)
	op := idem.Op{Name: "idemtest/" + s.run, Orphan: idem.OrphanRerun, Wait: long}
	const keys = 5
	var runs [keys]atomic.Int64
	s.race(func(i int) {
		id := i % keys
		call := engine.Call(context.Background(), &op, idem.Int(id)).Match(idem.Int(id))
		got, err := idem.Once(context.Background(), s.store, call, func(context.Context) ([]string, error) {
			time.Sleep(20 * time.Millisecond)
			if runs[id].Add(1) == 1 {
				return nil, errors.New("the first run fails")
			}
			return []string{fmt.Sprint("result ", id)}, nil
		})
		if err != nil && err.Error() != "the first run fails" || err == nil && (len(got) != 1 || got[0] != fmt.Sprint("result ", id)) {
			s.Errorf("call %d: %v, %v", i, got, err)
		}
	})
	for id := range runs {
		if n := runs[id].Load(); n != 2 {
			s.Errorf("key %d ran %d times", id, n)
		}
	}
	other := engine.Call(context.Background(), &op, idem.Int(0)).Match(idem.Int(99))
	if _, err := idem.Once(context.Background(), s.store, other, func(context.Context) ([]string, error) { return nil, nil }); !errors.Is(err, idem.ErrKeyReused) {
		s.Errorf("another payload: %v", err)
	}
}
