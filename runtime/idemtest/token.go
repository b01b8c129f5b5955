package idemtest

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// TestTokenStore checks a store against the laws of tokens: X1 to X5 as far as a
// store keeps them, C3, C7, C8, C11 and C16. Every token is new, so open may return
// one shared store each time. Run it with the race detector.
func TestTokenStore(t *testing.T, open func(t *testing.T) idem.TokenStore) {
	for _, c := range tokenCases {
		t.Run(c.name, func(t *testing.T) {
			c.run(&tokens{T: t, store: open(t)})
		})
	}
}

// tokenCases are the subtests, by law.
var tokenCases = []struct {
	name string
	run  func(*tokens)
}{
	{"X1_OneOfManyConsumers", (*tokens).oneOfMany},
	{"X1_OneOfManyAfterRestore", (*tokens).oneAfterRestore},
	{"X2_ToldApart", (*tokens).toldApart},
	{"X2_WrongPresenterBurnsNothing", (*tokens).wrongPresenter},
	{"X2_TombstoneOutlivesTheTTL", (*tokens).tombstone},
	{"X2_ForgottenAfterAll", (*tokens).forgotten},
	{"X2_RememberedAsLongAsTheConsumptionAsks", (*tokens).remembered},
	{"X3_FinishedStaysFinished", (*tokens).finished},
	{"X3_BurnedStaysBurned", (*tokens).burned},
	{"X3_RestoredWithTheSameExpiry", (*tokens).restoredExpiry},
	{"X3_VanishedOwnerIsHeld", (*tokens).vanished},
	{"X3_VanishedOwnerIsReplacedByLeave", (*tokens).retaken},
	{"X3_RetakenByOneOfMany", (*tokens).retakenRace},
	{"X3_LapsedButNotReplacedOwnerSettles", (*tokens).lapsedOwner},
	{"X3_VanishedPastItsExpiryIsHeld", (*tokens).vanishedExpired},
	{"X5_UsedTokenTellsWhatFor", (*tokens).tellsWhatFor},
	{"X5_AnotherPayloadTakesNothingOver", (*tokens).otherPayload},
	{"C3_StaleOwnerChangesNothing", (*tokens).staleOwner},
	{"C16_SameOwnerSameAnswer", (*tokens).sameOwner},
	{"C16_IssueAgainChangesNothing", (*tokens).issueAgain},
	{"C16_UnknownFenceIsTheOwnersAlone", (*tokens).unknownFence},
	{"C8_LongTimes", (*tokens).longTimes},
	{"C7_EndedContextTouchesNothing", (*tokens).endedContext},
}

// tokens is one subtest.
type tokens struct {
	*testing.T
	store idem.TokenStore
}

// grant issues one token with a long life.
func (s *tokens) grant() idem.TokenID {
	s.Helper()
	return s.issue(idem.TokenGrant{TTL: long, Keep: time.Hour})
}

// issue makes a token, issues it as g says and returns it.
func (s *tokens) issue(g idem.TokenGrant) idem.TokenID {
	s.Helper()
	g.Tokens = []idem.TokenID{idem.NewToken().ID()}
	if err := s.store.Issue(context.Background(), g); err != nil {
		s.Fatalf("issue: %v", err)
	}
	return g.Tokens[0]
}

// ask is a consumption of a new owner with a long lease.
func (s *tokens) ask(id idem.TokenID) idem.Consumption {
	return idem.Consumption{
		Token: id, Owner: idem.NewOwner(), Lease: long, Keep: time.Hour,
		Key: idem.Key{Hash: [32]byte{31: 3}}, Fingerprint: idem.Fingerprint{0: 1, 32: 7},
	}
}

// consume consumes and checks the status.
func (s *tokens) consume(c idem.Consumption, want idem.TokenStatus) idem.TokenFound {
	s.Helper()
	f, err := s.store.Consume(context.Background(), c)
	if err != nil {
		s.Fatalf("consume: %v", err)
	}
	if f.Status != want {
		s.Fatalf("consume: %v, want %v", f.Status, want)
	}
	return f
}

// take consumes, expects to win and returns the hold.
func (s *tokens) take(c idem.Consumption) idem.TokenHold {
	s.Helper()
	f := s.consume(c, idem.TokenConsumed)
	if f.Owner != c.Owner || f.Fence < 1 || f.KeyHash != c.Key.Hash || f.Fingerprint != c.Fingerprint {
		s.Fatalf("consumed %+v, asked for %+v", f, c)
	}
	return idem.TokenHold{Token: c.Token, Owner: c.Owner, Fence: f.Fence}
}

// finish finishes and expects success; restore and burn are alike.
func (s *tokens) finish(h idem.TokenHold) {
	s.Helper()
	s.done(s.store.Finish(context.Background(), h))
}
func (s *tokens) restore(h idem.TokenHold) {
	s.Helper()
	s.done(s.store.Restore(context.Background(), h))
}
func (s *tokens) burn(h idem.TokenHold) { s.Helper(); s.done(s.store.Burn(context.Background(), h)) }

func (s *tokens) done(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// isStale expects that a hold can settle nothing any more.
func (s *tokens) isStale(h idem.TokenHold) {
	s.Helper()
	ctx := context.Background()
	wants(s.T, "finish", s.store.Finish(ctx, h), idem.ErrLeaseLost)
	wants(s.T, "restore", s.store.Restore(ctx, h), idem.ErrLeaseLost)
	wants(s.T, "burn", s.store.Burn(ctx, h), idem.ErrLeaseLost)
}
