package desk_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/tickets/ticket"
	"github.com/idemgen/idemgen/runtime/idem"
)

// callers is how many act at once.
const callers = 64

// atOnce runs a function that many times at once.
func atOnce(do func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range callers {
		wg.Go(func() {
			<-start
			do(i)
		})
	}
	close(start)
	wg.Wait()
}

// Of many approvers, each with a call of his own, one approves: the history has one row, the ticket his name, and the others are told that it was done.
func TestManyApprovers(t *testing.T) {
	onEach(t, func(w *world) {
		w.endorsed("t")
		var mu sync.Mutex
		winner := ""
		atOnce(func(i int) {
			by := fmt.Sprint("fin", i)
			_, err := w.Approve(w.Context(), act("t", by), 250)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && winner == "":
				winner = by
			case !errors.Is(err, idem.ErrDuplicateTransition):
				w.Errorf("%s after %s: %v", by, winner, err)
			}
		})
		if s := w.story("t"); s != "Create Submit Endorse Approve" {
			w.Error(s)
		}
		if got, err := w.Get(w.Context(), acme, "t"); err != nil || got.DecidedBy == nil || *got.DecidedBy != winner {
			w.Errorf("%+v, %v; %s won", got, err, winner)
		}
	})
}

// One approval that is sent many times at once happens once, and every answer is the same.
func TestOneApprovalManyTimes(t *testing.T) {
	onEach(t, func(w *world) {
		w.endorsed("t")
		atOnce(func(int) {
			for {
				c, err := w.Approve(w.Context(), act("t", "fin"), 250)
				if errors.Is(err, idem.ErrInProgress) {
					time.Sleep(5 * time.Millisecond)
					continue
				}
				if err != nil || c.From != ticket.ManagerApproved || c.Version != 3 {
					w.Errorf("%+v, %v", c, err)
				}
				return
			}
		})
		if s := w.story("t"); s != "Create Submit Endorse Approve" {
			w.Error(s)
		}
	})
}

// One batch closes tickets from several states, and says of each of the others why not.
func TestBatchClose(t *testing.T) {
	onEach(t, func(w *world) {
		w.approved("approved")
		for _, id := range []string{"rejected", "withdrawn", "draft"} {
			w.draft(id)
		}
		w.must(w.Submit(w.Context(), act("rejected", "ann")))
		w.must(w.Reject(w.Context(), act("rejected", "mia")))
		w.must(w.Withdraw(w.Context(), act("withdrawn", "ann")))
		w.must(nil, w.Open(w.Context(), globex, "theirs", "eve", "theirs", 1))
		list := []string{"withdrawn", "draft", "approved", "nowhere", "theirs", "rejected", "approved"}
		results, err := w.Close(w.Context(), acme, "clerk", list...)
		w.must(results, err)
		for i, want := range []struct {
			from ticket.Status
			err  error
		}{
			{ticket.Withdrawn, nil}, {0, idem.ErrIllegalTransition}, {ticket.Approved, nil}, {0, idem.ErrNotFound},
			{0, idem.ErrNotFound}, {ticket.Rejected, nil}, {0, idem.ErrDuplicateTransition},
		} {
			r := results[i]
			if !errors.Is(r.Err, want.err) || want.err == nil && (r.Err != nil || r.Change.From != want.from || r.Change.To != ticket.Closed) {
				w.Errorf("%s: %+v", list[i], r)
			}
		}
		for id, want := range map[string]string{
			"withdrawn": "Create Withdraw Close", "draft": "Create", "rejected": "Create Submit Reject Close",
		} {
			if s := w.story(id); s != want {
				w.Errorf("%s: %s", id, s)
			}
		}
	})
}

// Only what nobody has touched for long enough is escalated.
func TestEscalate(t *testing.T) {
	onEach(t, func(w *world) {
		for _, id := range []string{"old", "new"} {
			w.draft(id)
			w.must(w.Submit(w.Context(), act(id, "ann")))
			w.clock = w.clock.Add(90*time.Minute + 123456*time.Microsecond)
		}
		w.clock = w.clock.Add(-time.Hour)
		results, err := w.Escalate(w.Context(), acme, "clock", time.Hour, "old", "new")
		w.must(results, err)
		if results[0].Err != nil || !errors.Is(results[1].Err, idem.ErrGuardFailed) {
			w.Errorf("%+v", results)
		}
		w.must(w.Approve(w.Context(), act("old", "fin"), 250))
	})
}

// A comment leaves the ticket where it is, counts its version up and has a row in the history.
func TestComment(t *testing.T) {
	onEach(t, func(w *world) {
		w.draft("t")
		atOnce(func(i int) {
			if _, err := w.Comment(w.Context(), act("t", "bob"), fmt.Sprint("comment ", i)); err != nil {
				w.Error(err)
			}
		})
		got, err := w.Get(w.Context(), acme, "t")
		w.must(got, err)
		if w.story("t"); got.Version != callers || got.Status != ticket.Draft || got.LastComment == nil {
			w.Errorf("%+v", got)
		}
		w.must(w.Withdraw(w.Context(), act("t", "ann")))
		w.refused("t", idem.ErrIllegalTransition, func() error { _, err := w.Comment(w.Context(), act("t", "bob"), "?"); return err })
	})
}
