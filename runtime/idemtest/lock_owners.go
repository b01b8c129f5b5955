package idemtest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

func (s *locks) wholeOwner() {
	h := s.take(s.ask(s.key(idem.String("K"))))
	short := h
	short.Owner[15]++
	zero := h
	zero.Owner = idem.Owner{}
	before, later := h, h
	before.Fence--
	later.Fence++
	for _, wrong := range []idem.Hold{short, zero, before, later, {Key: h.Key}, {Key: s.key(idem.String("none")), Owner: h.Owner, Fence: h.Fence}} {
		s.isLost(wrong)
	}
	s.acquire(s.ask(h.Key), idem.LockBusy)
	s.release(h)
}

// lapse acquires a lock and lets it run out.
func (s *locks) lapse(k idem.Key) idem.Hold {
	s.Helper()
	r := s.ask(k)
	r.TTL = short
	h := s.take(r)
	time.Sleep(pause)
	return h
}

func (s *locks) expired() {
	h := s.lapse(s.key(idem.String("K")))
	s.isLost(h) // nobody took it since, yet somebody might have
	s.isLost(h)
	s.take(s.ask(h.Key))
}

func (s *locks) anothers() {
	k := s.key(idem.String("K"))
	old := s.lapse(k)
	now := s.take(s.ask(k))
	s.isLost(old)
	s.acquire(s.ask(k), idem.LockBusy)
	s.release(now)
	s.isLost(old)
}

func (s *locks) renew() {
	r := s.ask(s.key(idem.String("K")))
	r.TTL = short
	h := s.take(r)
	for range 2 {
		if err := s.locker.Renew(context.Background(), h, long); err != nil {
			s.Fatalf("renew: %v", err)
		}
	}
	time.Sleep(pause)
	if f := s.acquire(s.ask(h.Key), idem.LockBusy); f.Left <= short || f.Left > long {
		s.Fatalf("%v of %v left", f.Left, long)
	}
	if err := s.locker.Renew(context.Background(), h, short); err != nil {
		s.Fatalf("renew: %v", err)
	}
	time.Sleep(pause)
	s.isLost(h)
}

func (s *locks) renewNothing() {
	ctx := context.Background()
	h := s.take(s.ask(s.key(idem.String("K"))))
	s.release(h)
	wants(s.T, "renew of a released lock", s.locker.Renew(ctx, h, long), idem.ErrLockLost)
	s.take(s.ask(h.Key))
}

func (s *locks) storm() {
	k := s.key(idem.String("K"))
	var inside, turns atomic.Int64
	var highest atomic.Int64
	race(callers/2, func(int) {
		for done := 0; done < 3; {
			r := s.ask(k)
			f, err := s.locker.Acquire(context.Background(), r)
			if err != nil {
				s.Errorf("acquire: %v", err)
				return
			}
			if f.Status != idem.LockAcquired {
				time.Sleep(time.Millisecond)
				continue
			}
			if inside.Add(1) != 1 {
				s.Error("two holders at a time")
			}
			if f.Fence <= highest.Swap(f.Fence) {
				s.Errorf("fence %d is not the highest", f.Fence)
			}
			runtime.Gosched()
			inside.Add(-1)
			if err := s.locker.Release(context.Background(), idem.Hold{Key: k, Owner: r.Owner, Fence: f.Fence}); err != nil {
				s.Errorf("release: %v", err)
			}
			done++
			turns.Add(1)
		}
	})
	if turns.Load() != callers/2*3 {
		s.Fatalf("%d turns", turns.Load())
	}
}

func (s *locks) fenceGrows() {
	k := s.key(idem.String("K"))
	last := s.take(s.ask(k))
	for i := range 20 {
		s.release(last)
		next := s.take(s.ask(k))
		if next.Fence <= last.Fence {
			s.Fatalf("acquisition %d: fence %d after %d", i, next.Fence, last.Fence)
		}
		last = next
	}
	s.release(last)
	lapsed := s.lapse(k)
	if next := s.take(s.ask(k)); next.Fence <= lapsed.Fence || lapsed.Fence <= last.Fence {
		s.Fatalf("fences %d, %d, %d", last.Fence, lapsed.Fence, next.Fence)
	}
}

// fenceClock: a locker that forgot everything still gives out a larger fence.
func (s *locks) fenceClock() {
	before := time.Now().Add(-24 * time.Hour).UnixMicro() // the locker's clock may be another
	h := s.take(s.ask(s.key(idem.String("K"))))
	if h.Fence < before {
		s.Fatalf("fence %d is no clock of today in microseconds", h.Fence)
	}
}

func (s *locks) sameOwner() {
	r := s.ask(s.key(idem.String("K")))
	h := s.take(r)
	for range 3 {
		if again := s.take(r); again != h {
			s.Fatalf("the same owner got %+v, then %+v", h, again)
		}
	}
	s.acquire(s.ask(r.Key), idem.LockBusy)
	for range 3 {
		s.release(h)
	}
}

// releaseAgain: the reply of a release is lost, the lock is taken again, and the
// release is sent once more.
func (s *locks) releaseAgain() {
	k := s.key(idem.String("K"))
	first := s.take(s.ask(k))
	s.release(first)
	second := s.take(s.ask(k))
	s.release(first)
	wants(s.T, "renew of a released lock", s.locker.Renew(context.Background(), first, long), idem.ErrLockLost)
	s.acquire(s.ask(k), idem.LockBusy)
	s.release(second)
	s.release(second)
	s.take(s.ask(k))
}

func (s *locks) unknownFence() {
	k := s.key(idem.String("K"))
	lost := s.take(s.ask(k))
	lost.Fence = 0
	s.release(lost)
	s.release(lost)
	now := s.take(s.ask(k))
	never := idem.Hold{Key: k, Owner: idem.NewOwner()}
	wants(s.T, "release of what was never acquired", s.locker.Release(context.Background(), never), idem.ErrLockLost)
	s.acquire(s.ask(k), idem.LockBusy)
	s.release(now)
}

func (s *locks) bytesDecide() {
	pad := strings.Repeat("x", 300)
	var holds []idem.Hold
	for _, parts := range [][]idem.Part{
		{idem.String("K1")}, {idem.String("k1")}, {idem.String("k1 ")}, {idem.String("k1\x00")}, {idem.String("ﬀ")}, {idem.String("ff")},
		{idem.String("{a}b")}, {idem.String("{a}c")}, {idem.String("{")}, {idem.String("}")}, {idem.String("{}")}, {idem.String("}{")}, {idem.String("a{b")},
		{idem.String("a:b"), idem.String("c")}, {idem.String("a"), idem.String("b:c")}, {idem.String(pad + "1")}, {idem.String(pad + "2")}, {idem.Int(0)}, {idem.Bool(false)},
	} {
		holds = append(holds, s.take(s.ask(s.key(parts...))))
	}
	for _, h := range holds {
		s.release(h)
	}
}

func (s *locks) longTimes() {
	for i, d := range []time.Duration{100 * 365 * 24 * time.Hour, 1<<63 - 1} {
		r := s.ask(s.key(idem.Int(i)))
		r.TTL = d
		h := s.take(r)
		if err := s.locker.Renew(context.Background(), h, d); err != nil {
			s.Fatalf("renew for %v: %v", d, err)
		}
		s.acquire(s.ask(r.Key), idem.LockBusy)
		s.release(h)
	}
}

func (s *locks) endedContext() {
	k := s.key(idem.String("K"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.locker.Acquire(ctx, s.ask(k)); !errors.Is(err, context.Canceled) {
		s.Fatalf("acquire on an ended context: %v", err)
	}
	h := s.take(s.ask(k))
	if err := s.locker.Release(ctx, h); err == nil {
		s.Fatal("release on an ended context succeeded")
	}
	s.acquire(s.ask(k), idem.LockBusy)
	s.release(h)
}
