package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/idemgen/idemgen/examples/tickets/desk"
	"github.com/idemgen/idemgen/examples/tickets/ticket"
	"github.com/idemgen/idemgen/runtime/idem"
)

// The tenants of the day.
const (
	acme   ticket.Tenant = 1
	globex ticket.Tenant = 2
)

// approvers is how many people press the button at once.
const approvers = 64

// day is one play. Its tickets have names that no other play uses, so that a database may see several.
type day struct {
	*desk.Desk
	run string // in front of the names
	out io.Writer
	err error // the first thing that did not go as it must
}

func newDay(d *desk.Desk, out io.Writer) *day {
	return &day{Desk: d, run: rand.Text()[:6], out: out}
}

// tell plays the day.
func (d *day) tell(ctx context.Context) error {
	d.morning(ctx)
	d.noon(ctx)
	d.evening(ctx)
	return d.err
}

// morning: chairs go through the flow, and whatever should be refused is.
func (d *day) morning(ctx context.Context) {
	d.say("Ann asks for chairs, 250.00.")
	d.step("ann opens the ticket", nil, d.Open(ctx, acme, d.id("chairs"), "ann", "chairs", 25000))
	_, err := d.Submit(ctx, d.act("chairs", "ann"))
	d.step("ann submits it", nil, err)
	t, err := d.Submit(ctx, d.act("chairs", "ann"))
	d.step("ann's browser sends it again and gets the same answer", nil, errors.Join(err, want(t != nil && t.Version == 1)))
	_, err = d.Endorse(ctx, d.act("chairs", "ann"))
	d.step("ann endorses her own ticket", idem.ErrGuardFailed, err)
	theirs := d.act("chairs", "eve")
	theirs.Tenant = globex
	_, err = d.Endorse(ctx, theirs)
	d.step("eve of another company tries", idem.ErrNotFound, err)
	seen := d.act("chairs", "mia")
	seen.Version = 1
	_, err = d.Comment(ctx, d.act("chairs", "bob"), "the blue ones")
	d.step("bob comments, which makes a new version", nil, err)
	_, err = d.Endorse(ctx, seen)
	d.step("mia endorses what she saw before that", idem.ErrGuardFailed, err)
	seen.Version = 2
	_, err = d.Endorse(ctx, seen)
	d.step("mia reads the comment and endorses", nil, err)
	d.step(fmt.Sprintf("%d people approve the money at once, and one does it", approvers), nil, d.crowd(ctx))
	_, err = d.Approve(ctx, d.act("chairs", "late"), 25000)
	d.step("another approval, later", idem.ErrDuplicateTransition, err)
}

// noon: a ticket is withdrawn while its approval is on its way, and another is rescued by an administrator.
func (d *day) noon(ctx context.Context) {
	d.say("Ann asks for a lamp, 40.00, and finds one in the cellar.")
	d.step("opened, submitted, endorsed", nil, d.endorsed(ctx, "lamp"))
	_, err := d.Withdraw(ctx, d.act("lamp", "ann"))
	d.step("ann withdraws it", nil, err)
	_, err = d.Approve(ctx, d.act("lamp", "fin"), 4000)
	d.step("the approval arrives late", idem.ErrIllegalTransition, err)
	_, err = d.Approve(ctx, d.act("lamp", "fin"), 4000)
	d.step("and once more", idem.ErrIllegalTransition, err)

	d.say("Ann asks for a desk, and mia is on holiday.")
	d.step("opened", nil, d.Open(ctx, acme, d.id("desk"), "ann", "desk", 90000))
	_, err = d.Submit(ctx, d.act("desk", "ann"))
	d.step("submitted", nil, err)
	_, err = d.Move(ctx, d.act("desk", "root"), ticket.Approved, "hurry")
	d.step("root moves it to Approved, where nothing leads from Submitted", idem.ErrIllegalTransition, err)
	_, err = d.Move(ctx, d.act("desk", "root"), ticket.Escalated, "mia is on holiday")
	d.step("root moves it to Escalated", nil, err)
	_, err = d.Reject(ctx, d.act("desk", "fin"))
	d.step("fin rejects it", nil, err)
}

// evening: everything that is decided is closed in one batch.
func (d *day) evening(ctx context.Context) {
	d.say("The clerk closes the day: chairs, lamp, desk, and a plant that nobody asked for.")
	names := []string{"chairs", "lamp", "desk", "plant"}
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = d.id(name)
	}
	results, err := d.Close(ctx, acme, "clerk", ids...)
	d.step("one batch", nil, err)
	for i, r := range results {
		if name := names[i]; name == "plant" {
			d.step(name, idem.ErrNotFound, r.Err)
		} else {
			d.step(fmt.Sprintf("%s, from %v", name, r.Change.From), nil, r.Err)
		}
	}
	d.say("What happened to the chairs:")
	d.history(ctx, "chairs")
}

// endorsed brings a ticket to where the money is to be approved.
func (d *day) endorsed(ctx context.Context, name string) error {
	err := d.Open(ctx, acme, d.id(name), "ann", name, 4000)
	if err == nil {
		_, err = d.Submit(ctx, d.act(name, "ann"))
	}
	if err == nil {
		_, err = d.Endorse(ctx, d.act(name, "mia"))
	}
	return err
}

// crowd lets many approve the chairs at once.
func (d *day) crowd(ctx context.Context) error {
	errs := make([]error, approvers)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = d.Approve(ctx, d.act("chairs", fmt.Sprint("fin-", i)), 25000) })
	}
	wg.Wait()
	applied := 0
	for _, err := range errs {
		switch {
		case err == nil:
			applied++
		case !errors.Is(err, idem.ErrDuplicateTransition):
			return err
		}
	}
	return want(applied == 1)
}

// history prints a ticket's history.
func (d *day) history(ctx context.Context, name string) {
	steps, err := d.History(ctx, acme, d.id(name))
	if err != nil {
		d.step("history", nil, err)
		return
	}
	for _, s := range steps {
		from := "nothing"
		if s.From != nil {
			from = s.From.String()
		}
		d.print("  %-8s %s → %v, by %s\n", s.Event, from, s.To, text(s.Actor))
	}
}

func (d *day) id(name string) string { return d.run + "-" + name }

// act is what somebody does once to a ticket of the day, whatever its version.
func (d *day) act(name, by string) desk.Act {
	return desk.Act{Call: d.id(name) + " by " + by, Tenant: acme, Ticket: d.id(name), By: by, Version: idem.AnyVersion}
}

// step tells how a step ended, and remembers when it ended in another way than it must.
func (d *day) step(what string, wants, got error) {
	answer := "done"
	if got != nil {
		answer = strings.TrimPrefix(got.Error(), "idem: ")
	}
	d.print("  %s: %s\n", what, answer)
	if !errors.Is(got, wants) || wants == nil && got != nil {
		d.fail(fmt.Errorf("%s: %v, want %v", what, got, wants))
	}
}

func (d *day) say(what string) { d.print("\n%s\n", what) }

func (d *day) print(format string, args ...any) {
	if _, err := fmt.Fprintf(d.out, format, args...); err != nil {
		d.fail(err)
	}
}

func (d *day) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

var errOther = errors.New("another answer than it must be")

// want is an error unless something is as it must be.
func want(ok bool) error {
	if !ok {
		return errOther
	}
	return nil
}

func text(s *string) string {
	if s == nil {
		return "nobody"
	}
	return *s
}
