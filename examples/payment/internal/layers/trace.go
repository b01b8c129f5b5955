package layers

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Header carries the trace of a payment: gate=passed, token=consumed, record=claimed, state=moved, index=inserted. It stops at the layer that answered.
const Header = "Payment-Layers"

// Verdict is what a layer did with a call.
type Verdict string

// Verdicts. Off, and those of a layer that let the call pass; all others answer it.
const (
	Off      Verdict = "off"
	Passed   Verdict = "passed"   // the gate had no response to this request id
	Consumed Verdict = "consumed" // the token was good, and is used now
	Claimed  Verdict = "claimed"  // there was no record of this call
	Moved    Verdict = "moved"    // the order went from created to paid
	Inserted Verdict = "inserted" // the ledger took the payment
)

// Verdicts of a layer that answered.
const (
	Replayed  Verdict = "replayed"  // by what the first call got
	Running   Verdict = "running"   // the first call is not done yet
	Used      Verdict = "used"      // the token was used before
	Duplicate Verdict = "duplicate" // the order is paid, or the payment is in the ledger
	Refused   Verdict = "refused"   // a stolen, expired or unknown token, or another payload
)

// answers tells whether a verdict ends the call.
func (v Verdict) answers() bool {
	switch v {
	case "", Off, Passed, Consumed, Claimed, Moved, Inserted:
		return false
	}
	return true
}

// Trace is what the layers did with one call. Safe for concurrent use.
type Trace struct {
	order string // the order that is to be paid

	mu       sync.Mutex
	verdicts [count]Verdict
	runs     bool // the method ran in the last transaction
}

type traceKey struct{}

// traceOf finds the trace of a call; outside of Watch it is one that nobody reads.
func traceOf(ctx context.Context) *Trace {
	if t, _ := ctx.Value(traceKey{}).(*Trace); t != nil {
		return t
	}
	return new(Trace)
}

// note writes down what a layer did. The last word counts: a transaction may be tried again.
func (t *Trace) note(l Layer, v Verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.verdicts[l] = v
}

// String is the trace as Header carries it, up to the layer that answered.
func (t *Trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var said []string
	for l, v := range t.verdicts {
		if v != "" {
			said = append(said, Layer(l).String()+"="+string(v))
		}
		if v.answers() {
			break
		}
	}
	return strings.Join(said, ", ")
}

// ParseTrace reads what Header carries.
func ParseTrace(text string) (map[Layer]Verdict, error) {
	said := map[Layer]Verdict{}
	for pair := range strings.SplitSeq(text, ", ") {
		if pair == "" {
			continue
		}
		name, verdict, ok := strings.Cut(pair, "=")
		l, err := Parse(name)
		if err != nil || !ok {
			return nil, fmt.Errorf("layers: no trace: %q", text)
		}
		said[l] = Verdict(verdict)
	}
	return said, nil
}

// Answerer is the layer that answered a call; ok is false where the payment went through to the end.
func Answerer(said map[Layer]Verdict) (l Layer, ok bool) {
	for _, l := range All() {
		if said[l].answers() {
			return l, true
		}
	}
	return 0, false
}

// Watch traces the payments that next serves. It stands in front of the gate. While the gate is off the request id is taken off its requests, as by a proxy that knows nothing of it.
func (s *Switches) Watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &Trace{order: r.PathValue("id")}
		t.note(Gate, Passed)
		r = r.WithContext(context.WithValue(r.Context(), traceKey{}, t))
		if !s.On(Gate) {
			t.note(Gate, Off)
			r.Header.Del("Idempotency-Key")
		}
		next.ServeHTTP(&writer{ResponseWriter: w, trace: t}, r)
	})
}

// writer adds the trace to a response.
type writer struct {
	http.ResponseWriter
	trace *Trace
	wrote bool
}

// WriteHeader adds the trace, which is complete by now.
func (w *writer) WriteHeader(status int) {
	if !w.wrote && status >= http.StatusOK {
		w.wrote = true
		w.Header().Set(Header, w.trace.String())
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write is WriteHeader too.
func (w *writer) Write(b []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// at is what a layer did.
func (t *Trace) at(l Layer) Verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.verdicts[l]
}
