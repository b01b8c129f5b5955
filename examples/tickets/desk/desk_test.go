package desk_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/idemgen/idemgen/examples/tickets/desk"
	"github.com/idemgen/idemgen/examples/tickets/internal/testdb"
	"github.com/idemgen/idemgen/examples/tickets/ticket"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// Two tenants.
const (
	acme   ticket.Tenant = 1
	globex ticket.Tenant = 2
)

// world is a desk on a new database, with a clock that the test sets.
type world struct {
	*testing.T
	*desk.Desk
	db      *gorm.DB
	dialect idem.Dialect
	store   *sqlstore.TxStore[*gorm.DB]
	clock   time.Time
}

// onEach runs a test on every kind of database.
func onEach(t *testing.T, test func(w *world)) {
	testdb.OnEach(t, func(t *testing.T) { test(open(t)) })
}

func open(t *testing.T) *world {
	t.Helper()
	db, dialect := testdb.Open(t)
	w := &world{T: t, db: db, dialect: dialect, clock: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	var err error
	if w.store, err = desk.NewStore(db, dialect); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{desk.Migrate(t.Context(), db, dialect), desk.Migrate(t.Context(), db, dialect)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Desk = desk.New(db, w.store, func() time.Time { return w.clock })
	return w
}

// act is what somebody does to an acme ticket, whatever its version.
func act(id, by string) desk.Act {
	return desk.Act{Call: id + by, Tenant: acme, Ticket: id, By: by, Version: idem.AnyVersion}
}

// must fails the test on an error.
func (w *world) must(_ any, err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// draft opens a draft of ann's at acme, for 250 cents.
func (w *world) draft(id string) {
	w.Helper()
	w.must(nil, w.Open(w.Context(), acme, id, "ann", "chairs", 250))
}

// endorsed is a ticket that waits for the money.
func (w *world) endorsed(id string) {
	w.Helper()
	w.draft(id)
	w.must(w.Submit(w.Context(), act(id, "ann")))
	w.must(w.Endorse(w.Context(), act(id, "mia")))
}

// approved is a ticket that is to be paid out.
func (w *world) approved(id string) {
	w.Helper()
	w.endorsed(id)
	w.must(w.Approve(w.Context(), act(id, "fin"), 250))
}

// refused checks that an act was refused for a reason and left ticket and history as they were.
func (w *world) refused(id string, want error, do func() error) {
	w.Helper()
	before := w.story(id)
	if err := do(); !errors.Is(err, want) {
		w.Errorf("%v, want %v", err, want)
	}
	if after := w.story(id); after != before {
		w.Errorf("%s, and was %s before", after, before)
	}
}

// story is the history of an acme ticket in one line, and its version.
func (w *world) story(id string) string {
	w.Helper()
	steps, err := w.History(context.WithoutCancel(w.Context()), acme, id)
	if err != nil {
		w.Fatal(err)
	}
	t, err := w.Get(w.Context(), acme, id)
	if err != nil {
		w.Fatal(err)
	}
	var list []string
	for i, s := range steps {
		list = append(list, s.Event)
		if i > 0 && (s.From == nil || *s.From != steps[i-1].To) || i == 0 && s.From != nil {
			w.Errorf("%s: step %d comes from %v", id, i, s.From)
		}
	}
	if t.Version != int64(len(steps))-1 || t.Status != steps[len(steps)-1].To {
		w.Errorf("%s: version %d, %v after %d steps that end in %v", id, t.Version, t.Status, len(steps), steps[len(steps)-1].To)
	}
	return strings.Join(list, " ")
}

// failed is the predicate that refused an act.
func failed(err error) idem.GuardPart {
	if refused, ok := errors.AsType[*idem.TransitionError](err); ok {
		return refused.Failed
	}
	return 0
}

// A ticket goes from draft to closed; each step has its event, actor and call in the history.
func TestFlow(t *testing.T) {
	onEach(t, func(w *world) {
		w.approved("t")
		got, err := w.Get(w.Context(), acme, "t")
		w.must(got, err)
		if got.Status != ticket.Approved || *got.DecidedBy != "fin" || !got.DecidedAt.Equal(w.clock) || *got.Payout != 250 || got.Requester != "ann" || !got.UpdatedAt.Equal(w.clock) {
			w.Errorf("%+v", got)
		}
		w.must(w.Close(w.Context(), acme, "clerk", "t"))
		if s := w.story("t"); s != "Create Submit Endorse Approve Close" {
			w.Error(s)
		}
		steps, err := w.History(w.Context(), acme, "t")
		w.must(steps, err)
		for i, want := range []struct {
			actor string
			keyed bool
		}{{"ann", false}, {"ann", true}, {"mia", true}, {"fin", true}, {"clerk", false}} {
			if s := steps[i]; *s.Actor != want.actor || (s.IdemKey != nil) != want.keyed || time.Since(time.UnixMicro(s.AtUs)).Abs() > time.Hour {
				w.Errorf("%d: %s by %s, key %v, at %d", i, s.Event, *s.Actor, s.IdemKey, s.AtUs)
			}
		}
	})
}

// A rejected ticket comes back as a draft without a decision, and goes through the flow again.
func TestReopen(t *testing.T) {
	onEach(t, func(w *world) {
		w.endorsed("t")
		w.must(w.Reject(w.Context(), act("t", "fin")))
		w.must(w.Reopen(w.Context(), act("t", "ann")))
		if got, err := w.Get(w.Context(), acme, "t"); err != nil || got.Status != ticket.Draft || got.DecidedBy != nil || got.DecidedAt != nil {
			w.Errorf("%+v, %v", got, err)
		}
		again := act("t", "ann")
		again.Call = "second round"
		w.must(w.Submit(w.Context(), again))
		if s := w.story("t"); s != "Create Submit Endorse Reject Reopen Submit" {
			w.Error(s)
		}
	})
}

// A transaction that is rolled back takes the step, its history and the answer with it.
func TestRollback(t *testing.T) {
	onEach(t, func(w *world) {
		w.draft("t")
		errChanged := errors.New("changed my mind")
		guard := ticket.NewStatusGuard(w.dialect)
		err := w.db.Transaction(func(tx *gorm.DB) error {
			if _, err := guard.Submit(w.Context(), w.store.Use(w.Context(), tx), "t", 0, acme, w.clock, "ann"); err != nil {
				return err
			}
			return errChanged
		})
		if !errors.Is(err, errChanged) || w.story("t") != "Create" {
			w.Errorf("%v, %s", err, w.story("t"))
		}
	})
}
