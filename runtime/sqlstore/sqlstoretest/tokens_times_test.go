package sqlstoretest

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// A consumption that asks for little doesn't shorten how long the token itself is
// remembered, and one that asks for more makes it longer.
func TestLaw_X2_RememberedForTheLaterOfBoth(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s := f.tokens()
		long, short := issue(t, s, 3), idem.NewToken().ID()
		if err := s.Issue(ctx, idem.TokenGrant{Tokens: []idem.TokenID{short}, TTL: time.Second, Keep: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		briefly := func(id idem.TokenID) idem.Consumption {
			c := consumption(id)
			c.Lease, c.Keep = time.Millisecond, time.Millisecond
			return c
		}
		vanished := consume(t, s, briefly(long[0]), idem.TokenConsumed)
		if err := s.Finish(ctx, consume(t, s, briefly(long[1]), idem.TokenConsumed)); err != nil {
			t.Fatal(err)
		}
		consume(t, s, consumption(short), idem.TokenConsumed)
		time.Sleep(20 * time.Millisecond)
		consume(t, s, consumption(long[0]), idem.TokenHeld)
		consume(t, s, consumption(long[1]), idem.TokenFinished)
		for _, id := range []idem.TokenID{long[0], long[1], short} {
			if n := f.count("SELECT COUNT(*) FROM idem_tokens WHERE token_hash = ? AND expires_at - issued_at > 50000000", id[:]); n != 1 {
				t.Error("a token is not remembered long enough")
			}
		}
		if n, err := s.Prune(ctx, 10); n != 0 || err != nil {
			t.Errorf("pruned %d, %v", n, err)
		}
		if err := s.Restore(ctx, vanished); err != nil {
			t.Errorf("restored late: %v", err)
		}
	})
}

// The fence of a token grows also when the clock was set back.
func TestLaw_X3_FenceGrowsOverTheClock(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s := f.tokens()
		id := issue(t, s, 1)[0]
		h := consume(t, s, consumption(id), idem.TokenConsumed)
		f.exec("UPDATE idem_tokens SET fence = fence + 3600000000") // as if the clock had been an hour ahead
		h.Fence += 3600000000
		if err := s.Restore(ctx, h); err != nil {
			t.Fatal(err)
		}
		if next := consume(t, s, consumption(id), idem.TokenConsumed); next.Fence != h.Fence+1 {
			t.Errorf("fence %d after %d", next.Fence, h.Fence)
		}
	})
}
