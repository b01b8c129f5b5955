package httpidem

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// run runs the handler under a claim, stores its response and sends it.
func run(g *Gate, w http.ResponseWriter, r *http.Request, next http.HandlerFunc, body []byte, lease *idem.Lease, call *idem.Call, a *audit) {
	rec := newRecorder(w, call.Key(), g.route.MaxResult)
	a.unguarded = lease.Hold() == idem.Hold{} // the store is away, and the route fails open
	settled := false
	defer func() {
		if !settled { // the handler panicked: nobody knows what it did (H2)
			rec.abandon()
			a.outcome, a.status = "unknown", rec.status
			_ = lease.Settle(idem.SettleUnknown, idem.Outcome{})
		}
	}()
	started := time.Now()
	inner := withBody(r, headersOf(lease.Detach(), r), body)
	next(rec, inner)
	rec.finish()
	giveBack(r, inner)
	how := g.settling(rec)
	out, event := idem.Outcome{}, idem.Event{}
	if how == idem.SettleComplete {
		out, event = g.outcome(rec)
	}
	settled = true
	err := lease.Settle(how, out)
	a.status, a.outcome = rec.status, settlings[how]
	if errors.Is(err, idem.ErrLeaseLost) || err == nil && lease.Lost() {
		// Another owner may have run since: what this one did is not the outcome.
		a.err = fmt.Errorf("%w: %s", idem.ErrLeaseLost, g.op.Name)
		if rec.discard() {
			a.status = statusOf(a.err).HTTP
			g.route.Error(w, r, a.err)
		}
		return
	}
	event.Err = errors.Join(event.Err, err)
	if err == nil {
		if event.Kind != 0 {
			call.Observe(r.Context(), event)
		}
		call.Observe(r.Context(), idem.Event{Kind: settleEvents[how], Elapsed: time.Since(started)})
	}
	rec.send() // also when it could not be stored: the claim stays (C6)
}

// settlings are the words of the audit line, settleEvents those of the observer.
var (
	settlings    = [...]string{idem.SettleComplete: "executed", idem.SettleRelease: "released", idem.SettleUnknown: "unknown"}
	settleEvents = [...]idem.EventKind{
		idem.SettleComplete: idem.EventExecuted, idem.SettleRelease: idem.EventReleased, idem.SettleUnknown: idem.EventUnknown,
	}
)

// outcome is the recorded response as a store keeps it.
func (g *Gate) outcome(rec *recorder) (idem.Outcome, idem.Event) {
	if why, out := rec.unkept(); why != "" {
		if out.Kind == idem.Oversize {
			return out, idem.Event{Kind: idem.EventOversize, Err: fmt.Errorf("%w: %s", idem.ErrResultTooLarge, why)}
		}
		return out, idem.Event{Kind: idem.EventUnreadable, Err: fmt.Errorf("%w: %s", idem.ErrResultUnreadable, why)}
	}
	return idem.Outcome{Kind: idem.Succeeded, Codec: codecName, Data: encode(rec.status, g.stored(rec.sent, rec.front), rec.body.Bytes())}, idem.Event{}
}

// replay sends a stored response (H1).
func (g *Gate) replay(ctx context.Context, w http.ResponseWriter, r *http.Request, o *idem.Outcome, call *idem.Call, a *audit) {
	var fields [8]field
	res, err := decode(o, fields[:0], 2)
	if err != nil {
		if errors.Is(err, idem.ErrResultUnreadable) {
			call.Observe(ctx, idem.Event{Kind: idem.EventUnreadable, Err: err})
		}
		call.Observe(ctx, idem.Event{Kind: idem.EventReplayed, Err: err})
		g.refuse(w, r, a, fmt.Errorf("%w: %s", err, g.op.Name))
		return
	}
	call.Observe(ctx, idem.Event{Kind: idem.EventReplayed})
	a.outcome, a.status = "replayed", res.status
	h := w.Header()
	for _, f := range res.header {
		h[f.name] = f.values
	}
	h[ReplayedHeader] = res.value("true")
	if lacksLength(h, res.status) {
		h["Content-Length"] = res.value(strconv.Itoa(len(res.body)))
	}
	send(w, res.status, res.body)
}
