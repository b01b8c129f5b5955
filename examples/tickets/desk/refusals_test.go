package desk_test

import (
	"errors"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/idemgen/idemgen/examples/tickets/desk"
	"github.com/idemgen/idemgen/examples/tickets/ticket"
	"github.com/idemgen/idemgen/runtime/idem"
)

// To another tenant a ticket is not there, and its name is taken all the same.
func TestOtherTenant(t *testing.T) {
	onEach(t, func(w *world) {
		w.endorsed("t")
		theirs := act("t", "eve")
		theirs.Tenant = globex
		for name, do := range map[string]func() error{
			"approve":  func() error { _, err := w.Approve(w.Context(), theirs, 250); return err },
			"reject":   func() error { _, err := w.Reject(w.Context(), theirs); return err },
			"withdraw": func() error { _, err := w.Withdraw(w.Context(), theirs); return err },
			"move":     func() error { _, err := w.Move(w.Context(), theirs, ticket.Rejected, ""); return err },
		} {
			w.Run(name, func(t *testing.T) { w.refused("t", idem.ErrNotFound, do) })
		}
		w.refused("t", idem.ErrGuardFailed, func() error { return w.Open(w.Context(), globex, "t", "eve", "theirs", 1) })
		if _, err := w.Get(w.Context(), globex, "t"); !errors.Is(err, gorm.ErrRecordNotFound) {
			w.Error(err)
		}
		if _, err := w.History(w.Context(), globex, "t"); !errors.Is(err, gorm.ErrRecordNotFound) {
			w.Error(err)
		}
		// The tenant is part of a key: what acme got for its call is not told to globex.
		mine := act("t", "fin")
		w.must(w.Approve(w.Context(), mine, 250))
		mine.Tenant = globex
		w.refused("t", idem.ErrNotFound, func() error { _, err := w.Approve(w.Context(), mine, 250); return err })
	})
}

// Nobody approves his own ticket, and nobody withdraws another's.
func TestOwnTicket(t *testing.T) {
	onEach(t, func(w *world) {
		w.endorsed("t")
		for name, do := range map[string]func() error{
			"approve":      func() error { _, err := w.Approve(w.Context(), act("t", "ann"), 250); return err },
			"reject":       func() error { _, err := w.Reject(w.Context(), act("t", "ann")); return err },
			"withdraw":     func() error { _, err := w.Withdraw(w.Context(), act("t", "fin")); return err },
			"other amount": func() error { _, err := w.Approve(w.Context(), act("t", "fin"), 2500); return err },
		} {
			w.Run(name, func(t *testing.T) {
				w.refused("t", idem.ErrGuardFailed, func() error {
					err := do()
					if part := failed(err); part != idem.GuardWhere {
						t.Errorf("%v failed", part)
					}
					return err
				})
			})
		}
		// A refusal is no answer: the same call may be sent again when it fits.
		w.must(w.Approve(w.Context(), act("t", "fin"), 250))
	})
}

// Who has seen an older version is told so: somebody commented in between. Version 0 is a version.
func TestStaleVersion(t *testing.T) {
	onEach(t, func(w *world) {
		w.draft("t")
		stale := act("t", "ann")
		stale.Version = 0
		w.must(w.Comment(w.Context(), stale, "soon"))
		for name, do := range map[string]func() error{
			"submit":  func() error { _, err := w.Submit(w.Context(), stale); return err },
			"comment": func() error { _, err := w.Comment(w.Context(), stale, "late"); return err },
			"move":    func() error { _, err := w.Move(w.Context(), stale, ticket.Withdrawn, ""); return err },
		} {
			w.Run(name, func(t *testing.T) {
				w.refused("t", idem.ErrGuardFailed, func() error {
					err := do()
					if part := failed(err); part != idem.GuardVersion {
						t.Errorf("%v failed", part)
					}
					return err
				})
			})
		}
		fresh := act("t", "ann")
		fresh.Version = 1
		if got, err := w.Submit(w.Context(), fresh); err != nil || got.Version != 2 {
			w.Errorf("%+v, %v", got, err)
		}
	})
}

// An approval that comes after the requester has withdrawn is illegal, never taken for one that happened.
func TestLateApproval(t *testing.T) {
	onEach(t, func(w *world) {
		w.endorsed("t")
		w.must(w.Withdraw(w.Context(), act("t", "ann")))
		w.refused("t", idem.ErrIllegalTransition, func() error { _, err := w.Approve(w.Context(), act("t", "fin"), 250); return err })
		w.must(w.Close(w.Context(), acme, "clerk", "t"))
		w.refused("t", idem.ErrIllegalTransition, func() error { _, err := w.Approve(w.Context(), act("t", "fin"), 250); return err })
	})
}

// An approval that is sent again gets what the first one did; another approval of the same ticket is a duplicate, because the history says so.
func TestDuplicateApproval(t *testing.T) {
	onEach(t, func(w *world) {
		w.endorsed("t")
		first, err := w.Approve(w.Context(), act("t", "fin"), 250)
		if err != nil || first != (desk.Change{From: ticket.ManagerApproved, To: ticket.Approved, Version: 3}) {
			w.Fatalf("%+v, %v", first, err)
		}
		replayed := func() error {
			again, err := w.Approve(w.Context(), act("t", "fin"), 250)
			if again != first {
				w.Errorf("%+v", again)
			}
			return err
		}
		second := func() error { _, err := w.Approve(w.Context(), act("t", "flo"), 250); return err }
		w.refused("t", nil, replayed)
		w.refused("t", idem.ErrDuplicateTransition, second)
		w.must(w.Close(w.Context(), acme, "clerk", "t"))
		w.refused("t", nil, replayed)
		w.refused("t", idem.ErrSuperseded, second)

		// One key for two tickets is a fault of the caller.
		w.endorsed("u")
		other := act("u", "fin")
		other.Call = act("t", "fin").Call
		w.refused("u", idem.ErrKeyReused, func() error { _, err := w.Approve(w.Context(), other, 250); return err })

		// An administrator's move to Approved is no approval.
		w.must(w.Move(w.Context(), act("u", "root"), ticket.Approved, "by phone"))
		w.refused("u", idem.ErrIllegalTransition, func() error { _, err := w.Approve(w.Context(), act("u", "flo"), 250); return err })
	})
}

// A submission that is sent again gets the first answer, even when the ticket has moved on.
func TestSubmitIsReplayed(t *testing.T) {
	onEach(t, func(w *world) {
		w.draft("t")
		first, err := w.Submit(w.Context(), act("t", "ann"))
		w.must(first, err)
		w.must(w.Endorse(w.Context(), act("t", "mia")))
		w.clock = w.clock.Add(time.Hour)
		if again, err := w.Submit(w.Context(), act("t", "ann")); err != nil || again.Status != ticket.Submitted || again.Version != first.Version || !again.UpdatedAt.Equal(first.UpdatedAt) {
			w.Errorf("%+v, %v", again, err)
		}
		changed := act("t", "bob")
		changed.Call = act("t", "ann").Call
		w.refused("t", idem.ErrKeyReused, func() error { _, err := w.Submit(w.Context(), changed); return err })
		w.refused("t", idem.ErrSuperseded, func() error { return w.bareSubmit("t") })
	})
}

// bareSubmit submits without a key.
func (w *world) bareSubmit(id string) error {
	_, err := ticket.NewStatusGuard(w.dialect).Submit(w.Context(), w.store.Use(w.Context(), w.db), id, idem.AnyVersion, acme, w.clock, "ann")
	return err
}

// An administrator goes along any edge that there is, and along no other.
func TestMove(t *testing.T) {
	onEach(t, func(w *world) {
		w.draft("t")
		for _, to := range []ticket.Status{ticket.Approved, ticket.Closed, ticket.ManagerApproved} {
			w.refused("t", idem.ErrIllegalTransition, func() error { _, err := w.Move(w.Context(), act("t", "root"), to, ""); return err })
		}
		w.refused("t", idem.ErrUnknownState, func() error { _, err := w.Move(w.Context(), act("t", "root"), 11, ""); return err })
		for _, to := range []ticket.Status{ticket.Submitted, ticket.Escalated, ticket.Approved, ticket.Closed} {
			if c, err := w.Move(w.Context(), act("t", "root"), to, "by phone"); err != nil || c.To != to {
				w.Errorf("%+v, %v", c, err)
			}
		}
		w.refused("t", idem.ErrIllegalTransition, func() error { _, err := w.Move(w.Context(), act("t", "root"), ticket.Draft, ""); return err })
	})
}
