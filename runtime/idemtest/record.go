// Package idemtest holds conformance suites for implementations of the stores
// that package idem uses: records (TestRecordStore), transactions (TestTxStore),
// tokens (TestTokenStore) and locks (TestLocker). A store's own test calls the suite:
//
//	func TestConformance(t *testing.T) {
//		idemtest.TestRecordStore(t, func(t *testing.T) idem.RecordStore { … })
//	}
//
// A subtest is named after the law that it checks. Every key and token is unique
// to its subtest and run, so open may return one shared store each time, on a
// server that others use too. Expiry is tested with short real leases on the
// store's own clock: nothing needs a settable one.
//
// The rest is for tests of services. Duplicates makes one call many times at once.
// Crashes kills a call at every step of its layers, in process and without a server:
//
//	func TestPay_KilledAtEveryStep(t *testing.T) {
//		idemtest.Crashes(t, func(t *testing.T, p *idemtest.Process) idemtest.Victim[*Receipt] {
//			shop := NewIdempotentService(&Service{}, engine, idemtest.Tx(p, store))
//			return idemtest.Victim[*Receipt]{
//				Call:  func(ctx context.Context) (*Receipt, error) { return shop.Pay(ctx, "A-1", 4200) },
//				Check: func(t *testing.T, step string, got *Receipt, err error) { … },
//			}
//		})
//	}
//
// TestMachine is what the tests that the generator makes of a state machine
// (tests=true) call.
package idemtest

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Times of the suite. A long lease never runs out within a test, a short one
// always has after the pause.
const (
	long  = time.Minute
	short = 100 * time.Millisecond
	pause = 250 * time.Millisecond
)

// TestRecordStore checks a store against the laws of claims: C1, C3, C7, C8,
// C10, C11, C12, C13, C16, C17 and K2. Run it with the race detector.
func TestRecordStore(t *testing.T, open func(t *testing.T) idem.RecordStore) {
	for _, c := range recordCases {
		t.Run(c.name, func(t *testing.T) {
			c.run(&records{T: t, store: open(t), run: rand.Text()})
		})
	}
}

// recordCases are the subtests, by law.
var recordCases = []struct {
	name string
	run  func(*records)
}{
	{"C1_OneOfManyClaims", (*records).oneOfManyClaims},
	{"C1_ClaimTellsOwnerFenceAndFingerprint", (*records).claimTells},
	{"C1_LookWritesNothing", (*records).lookWritesNothing},
	{"C3_StaleOwnerChangesNothing", (*records).staleOwner},
	{"C3_WrongFenceChangesNothing", (*records).wrongFence},
	{"C3_RenewalNeverRecreates", (*records).renewNothing},
	{"C3_RenewalExtendsTheLease", (*records).renewExtends},
	{"C3_LapsedButNotReplacedOwnerCompletes", (*records).lapsedOwner},
	{"C10_OutcomesComeBackAsTheyWere", (*records).outcomes},
	{"C11_ExpiredRecordNeverBlocks", (*records).expiredRecord},
	{"C11_ExpiredRecordHasOneNewOwner", (*records).expiredRace},
	{"C11_StormOfClaimReleaseComplete", (*records).storm},
	{"C1_GuardedCallsRunOnce", (*records).through},
	{"C12_ReleaseLetsTheNextOneRun", (*records).release},
	{"C13_PruneDeletesOnlyTheExpired", (*records).prune},
	{"C16_SameOwnerSameAnswer", (*records).sameOwner},
	{"C17_RerunTakesOver", (*records).rerun},
	{"K5_RerunOfAnotherPayloadIsRefused", (*records).rerunOther},
	{"C17_RerunHasOneNewOwner", (*records).rerunRace},
	{"C17_HoldUntilResolved", (*records).hold},
	{"C17_HoldResolvedToRerun", (*records).holdRerun},
	{"C17_ResolveOfWhatIsNotHeld", (*records).notHeld},
	{"K2_BytesDecide", (*records).bytesDecide},
	{"C8_LongTimes", (*records).longTimes},
	{"C7_EndedContextTouchesNothing", (*records).endedContext},
}

// records is one subtest.
type records struct {
	*testing.T
	store idem.RecordStore
	run   string // unique to the subtest and run
}

// key makes a key of this subtest.
func (s *records) key(parts ...idem.Part) idem.Key {
	s.Helper()
	op := idem.Op{Name: "idemtest/" + s.run}
	call := idem.New(idem.GlobalScope).Call(context.Background(), &op, parts...)
	if err := call.Err(); err != nil {
		s.Fatal(err)
	}
	return call.Key()
}

// ask is a claim of a new owner with a long lease.
func (s *records) ask(k idem.Key) idem.Claim {
	return idem.Claim{
		Key: k, Owner: idem.NewOwner(), Fingerprint: idem.Fingerprint{0: 1, 32: 7},
		Lease: long, Retention: time.Hour, Orphan: idem.OrphanRerun,
	}
}

// claim claims and checks the status.
func (s *records) claim(c idem.Claim, want idem.ClaimStatus) idem.Found {
	s.Helper()
	f, err := s.store.Claim(context.Background(), c)
	if err != nil {
		s.Fatalf("claim: %v", err)
	}
	if f.Status != want {
		s.Fatalf("claim: %v, want %v", f.Status, want)
	}
	return f
}

// fresh claims, expects to win and returns the hold.
func (s *records) fresh(c idem.Claim) idem.Hold {
	s.Helper()
	f := s.claim(c, idem.Fresh)
	if f.Record.Owner != c.Owner {
		s.Fatalf("a fresh claim has owner %v, want %v", f.Record.Owner, c.Owner)
	}
	if f.Record.Fence < 1 {
		s.Fatalf("a fresh claim has fence %d", f.Record.Fence)
	}
	return idem.Hold{Key: c.Key, Owner: c.Owner, Fence: f.Record.Fence}
}

// is looks a key up and checks the status.
func (s *records) is(k idem.Key, want idem.ClaimStatus) idem.Record {
	s.Helper()
	f, err := s.store.Lookup(context.Background(), k)
	if err != nil {
		s.Fatalf("lookup: %v", err)
	}
	if f.Status != want {
		s.Fatalf("lookup: %v, want %v", f.Status, want)
	}
	return f.Record
}

// complete completes and expects success.
func (s *records) complete(h idem.Hold, o idem.Outcome) {
	s.Helper()
	if err := s.store.Complete(context.Background(), h, o, time.Hour); err != nil {
		s.Fatalf("complete: %v", err)
	}
}

// wants checks an error.
func (s *records) wants(what string, got, want error) {
	s.Helper()
	if !errors.Is(got, want) {
		s.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// outcome is a small success.
func outcome(text string) idem.Outcome {
	return idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte(text)}
}

// sameOutcome compares outcomes; nil and empty data are the same.
func sameOutcome(a, b idem.Outcome) bool {
	return a.Kind == b.Kind && a.Codec == b.Codec && string(a.Data) == string(b.Data)
}
