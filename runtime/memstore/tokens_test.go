package memstore_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestTokenConformance(t *testing.T) {
	idemtest.TestTokenStore(t, func(*testing.T) idem.TokenStore { return memstore.NewTokens() })
}

// consumption asks for a token for a second.
func consumption(id idem.TokenID) idem.Consumption {
	return idem.Consumption{Token: id, Owner: idem.NewOwner(), Lease: time.Second, Keep: time.Minute}
}

// ask consumes and returns the status.
func ask(t *testing.T, s *memstore.Tokens, id idem.TokenID) idem.TokenStatus {
	t.Helper()
	f, err := s.Consume(context.Background(), consumption(id))
	if err != nil {
		t.Fatal(err)
	}
	return f.Status
}

func TestLaw_X2_ExpiryIsAValueAndTombstonesOutliveIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.NewTokens()
		ids := []idem.TokenID{idem.NewToken().ID(), idem.NewToken().ID()}
		if err := s.Issue(context.Background(), idem.TokenGrant{Tokens: ids, TTL: 5 * time.Minute, Keep: time.Hour}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5*time.Minute - 1)
		if got := ask(t, s, ids[0]); got != idem.TokenConsumed {
			t.Errorf("%v just before its expiry", got)
		}
		time.Sleep(time.Nanosecond)
		if got := ask(t, s, ids[1]); got != idem.TokenExpired {
			t.Errorf("%v at its expiry", got)
		}
		time.Sleep(time.Hour - 1)
		if a, b := ask(t, s, ids[0]), ask(t, s, ids[1]); a != idem.TokenHeld || b != idem.TokenExpired {
			t.Errorf("%v and %v just before they are forgotten", a, b)
		}
		time.Sleep(time.Nanosecond)
		if a, b := ask(t, s, ids[0]), ask(t, s, ids[1]); a != idem.TokenUnknown || b != idem.TokenUnknown {
			t.Errorf("%v and %v after all", a, b)
		}
	})
}

func TestLaw_C13_IssuingSweepsForgottenTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.NewTokens()
		for range 100 {
			var ids []idem.TokenID
			for range 100 {
				ids = append(ids, idem.NewToken().ID())
			}
			if err := s.Issue(context.Background(), idem.TokenGrant{Tokens: ids, TTL: time.Second, Keep: time.Second}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if s.Len() > 1000 {
			t.Errorf("%d tokens are kept, 200 of them live", s.Len())
		}
	})
}
