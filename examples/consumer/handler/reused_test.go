package handler_test

import (
	"errors"
	"testing"

	"github.com/idemgen/idemgen/examples/consumer/internal/office"
	"github.com/idemgen/idemgen/runtime/idem"
)

// An id that comes again with another amount: the ledger says so (match=msg), the others take it for what its key says, a copy.
func TestAnotherAmountUnderTheSameID(t *testing.T) {
	o := office.Open(t)
	e, changed := office.Event(1), office.Event(1)
	changed.Amount++
	for range 2 {
		if err := errors.Join(o.Book(t.Context(), e), o.Reward(t.Context(), e), o.Send(t.Context(), e)); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Book(t.Context(), changed); !errors.Is(err, idem.ErrKeyReused) {
		t.Errorf("ledger: %v", err)
	}
	if err := errors.Join(o.Reward(t.Context(), changed), o.Send(t.Context(), changed)); err != nil {
		t.Error(err)
	}
	if b, r, m := o.Booked(), o.Rewarded(), len(o.Mail.Mailed()); b != 1 || r != 1 || m != 1 {
		t.Errorf("%d booked, %d rewarded, %d mailed", b, r, m)
	}
}
