package versions_test

import (
	"fmt"
	"testing"
)

// TestLaw_K5_RetriesAcrossADeployReplay: a call that one version carried out and whose
// retry the other gets is replayed, and is no other payload: the new field is left out
// of the fingerprint while it is zero, and counts when it is not.
func TestLaw_K5_RetriesAcrossADeployReplay(t *testing.T) {
	onAll(t, func(s *shop) {
		both := [2]*process{s.start(1), s.start(2)}
		for _, method := range []string{"pay", "notify"} {
			for from := range both {
				first, second := both[from], both[1-from]
				r := request{Order: fmt.Sprint(method, from), Amount: 70}
				want := s.receipt(s.ask(first, method, r, "ok"))
				for _, p := range []*process{second, first, second} {
					if got := s.receipt(s.ask(p, method, r, "ok")); got != want {
						s.Errorf("%s of version %d was replayed as %+v, was %+v", method, from+1, got, want)
					}
				}
				r.Amount++
				s.ask(second, method, r, "key_reused")
			}
			plain := request{Order: method + " plain", Amount: 5}
			s.ask(both[0], method, plain, "ok")
			plain.Coupon = "C"
			s.ask(both[1], method, plain, "key_reused")
			coupon := request{Order: method + " coupon", Amount: 5, Coupon: "C"}
			s.ask(both[1], method, coupon, "ok")
			s.ask(both[0], method, coupon, "key_reused") // version 1 doesn't see the coupon
		}
		s.single(8)
	})
}

// single expects so many effects, each of them once.
func (s *shop) single(want int) {
	s.Helper()
	effects, _ := s.effects()
	if len(effects) != want {
		s.Errorf("%d different effects, want %d", len(effects), want)
	}
	for e, n := range effects {
		if n != 1 {
			s.Errorf("%s of %s had %d effects", e.op, e.id, n)
		}
	}
}

// TestLaw_C9_UnreadableResultOfTheOtherVersionIsNeverRunAgain: a field of the result
// changed its type; lookup= answers.
func TestLaw_C9_UnreadableResultOfTheOtherVersionIsNeverRunAgain(t *testing.T) {
	onAll(t, func(s *shop) {
		both := [2]*process{s.start(1), s.start(2)}
		want := [2]string{`{"price":70}`, `{"price":"70 cents"}`}
		for from := range both {
			r := request{Order: fmt.Sprint("quote", from), Amount: 70}
			for _, n := range []int{from, 1 - from, from, 1 - from} {
				if got := s.ask(both[n], "quote", r, "ok"); string(got.Result) != want[n] {
					s.Errorf("version %d answers a quote of version %d with %s", n+1, from+1, got.Result)
				}
			}
		}
		s.single(2)
	})
}

// TestLaw_K3_ANewOperationHasKeysOfItsOwn: the operation that version 2 added shares no
// record with the others, whatever the order of methods.
func TestLaw_K3_ANewOperationHasKeysOfItsOwn(t *testing.T) {
	onAll(t, func(s *shop) {
		v1, v2 := s.start(1), s.start(2)
		r := request{Order: "one", Amount: 70}
		paid := s.receipt(s.ask(v1, "pay", r, "ok"))
		refunded := s.receipt(s.ask(v2, "refund", r, "ok"))
		if refunded.Amount != -70 || refunded.Number == paid.Number {
			s.Errorf("refunded %+v, paid %+v", refunded, paid)
		}
		s.ask(v1, "refund", r, "error")
		if again := s.receipt(s.ask(v2, "refund", r, "ok")); again != refunded {
			s.Errorf("refunded %+v, then %+v", refunded, again)
		}
		if again := s.receipt(s.ask(v2, "pay", r, "ok")); again != paid {
			s.Errorf("paid %+v, then %+v", paid, again)
		}
		s.single(2)
	})
}
