package templates

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// doc says what guards the method, what a duplicate gets and what a crash
// leaves: whoever reads only the generated file must learn it here.
func (w *wrapper) doc() []string {
	m := w.m
	name, verb := m.Name, "makes "+m.title+" idempotent."
	if m.OpName != "" && w.isFunc() {
		name, verb = cased("idempotent", m.Name), "returns "+m.Name+" made idempotent."
	}
	lines := []string{name + " " + verb, "", "Layers: " + layerText(m.Method) + ".", ""}
	lines = append(lines, w.outerDuplicate()...)
	switch {
	case m.Once != nil:
		lines = append(lines, w.onceDuplicate()...)
	case m.Message != nil:
		lines = append(lines, w.messageDuplicate()...)
	}
	if m.Fire != nil {
		lines = append(lines, w.fireDuplicate())
	}
	if m.Unique != nil {
		lines = append(lines, w.uniqueDuplicate())
	}
	if recordOf(m.Method) != nil {
		lines = append(lines, w.errorFate()...)
	}
	lines = append(lines, "")
	return append(lines, w.crash()...)
}

func (w *wrapper) isFunc() bool { return w.m.title == w.m.Name }

// layerText names the layers in their order: transaction [ once (key id), fire Status.Pay (key id) ].
func layerText(m *model.Method) string {
	var outside, inside []string
	for _, l := range layersOf(m) {
		text := l.label(m)
		switch {
		case text == "":
		case l.inTx && m.Tx():
			inside = append(inside, text)
		default:
			outside = append(outside, text)
		}
	}
	if m.Tx() {
		text := "transaction"
		if len(inside) > 0 {
			text += " [ " + strings.Join(inside, ", ") + " ]"
		}
		outside = append(outside, text)
	}
	return strings.Join(outside, ", ")
}

// onceDuplicate says what the dedupe record does to a second call.
func (w *wrapper) onceDuplicate() []string {
	m, o := w.m, w.m.Once
	kept := keptFor(o)
	lines := []string{"A duplicate (same key, " + kept + ") gets " + w.stored() + "; " + m.Name + " does not run again."}
	if text := w.matchText(); text != "" {
		lines = append(lines, "The same key with a different "+text+" gets idem.ErrKeyReused.")
	}
	switch {
	case m.Lock != nil && m.Lock.SameKey: // it waits for the lock
	case o.Wait > 0:
		lines = append(lines, "While the first call is running, a duplicate waits up to "+span(o.Wait)+" for its result, then gets idem.ErrInProgress.")
	default:
		lines = append(lines, "While the first call is running, a duplicate gets idem.ErrInProgress.")
	}
	return lines
}

// keptFor is the retention of a record.
func keptFor(o *model.Once) string {
	if o.TTL == model.Never {
		return "for ever"
	}
	return "for " + span(ttlOf(o))
}

// stored is what a duplicate gets.
func (w *wrapper) stored() string {
	o := w.m.Once
	var types []string
	for _, r := range w.m.Results {
		types = append(types, w.e.table.Code(r.Type))
	}
	result := strings.Join(types, ", ")
	if len(types) > 1 {
		result = "(" + result + ")"
	}
	switch {
	case len(types) == 0:
		return "no error"
	case o.NoResult && o.Lookup != nil:
		return "the answer of " + w.ofType(o.Lookup.Method) + " (no result is stored)"
	case o.NoResult:
		return "zero values and no error (no result is stored)"
	case o.Lookup != nil:
		return "the stored " + result + ", or the answer of " + w.ofType(o.Lookup.Method) + " where that could not be kept or read"
	}
	return "the stored " + result
}

// ofType is a method beside the guarded one, by its full name.
func (w *wrapper) ofType(method string) string {
	return strings.TrimSuffix(w.m.title, w.m.Name) + method
}

// matchText names what a retry must repeat beside the key; "" for nothing.
func (w *wrapper) matchText() string {
	var texts []string
	for _, p := range w.m.Match {
		if record := recordOf(w.m.Method); record == nil || !slices.ContainsFunc(record.Key, func(k model.Part) bool { return names.Same(k.Expr, p.Expr) }) {
			texts = append(texts, w.sc.Code(p.Expr))
		}
	}
	return orList(texts)
}

// fireDuplicate says what the state machine does to a call that comes too late.
func (w *wrapper) fireDuplicate() string {
	f := w.m.Fire
	row := "The row of " + strings.Join(f.Machine.Table, ".") + " with " + f.Machine.Key + " = " + f.Key.Text
	more := ""
	if f.Event.Where != nil || f.Machine.Version != "" || f.Machine.Fence != "" {
		more = "where something else that the event requires does not hold, "
	}
	moves := row + " moves " + moveText(f.Machine, f.Event) + " first; in any other state, " + more + "or without such a row, " + w.m.Name + " does not run and the call gets a *idem.TransitionError"
	switch {
	case f.Lookup != nil:
		return moves + ", or the answer of " + w.ofType(f.Lookup.Method) + " where this event was applied before."
	case len(w.m.Results) == 0:
		return moves + ", or nil where this event was applied before."
	case recordOf(w.m.Method) == nil:
		return moves + ", a duplicate one of kind Duplicate or Superseded."
	}
	return moves + "."
}

// moveText is Created -> Paid, with all sources of each target.
func moveText(m *model.Machine, ev *model.Event) string {
	if ev.Dynamic {
		return "from " + orList(sourceIdents(m, ev)) + " to the state that the caller names"
	}
	var targets []int
	sources := make([][]string, len(m.States))
	for _, e := range byFrom(ev.Edges) {
		if len(sources[e.To]) == 0 {
			targets = append(targets, e.To)
		}
		sources[e.To] = append(sources[e.To], m.States[e.From].Ident)
	}
	texts := make([]string, len(targets))
	for i, to := range targets {
		texts[i] = "from " + orList(sources[to]) + " to " + m.States[to].Ident
	}
	return strings.Join(texts, "; ")
}

func orList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// errorFate says what an error of the method does to the record.
func (w *wrapper) errorFate() []string {
	by := map[string][]string{}
	rules := recordOf(w.m.Method).Errors
	for _, r := range rules {
		by[r.Do] = append(by[r.Do], r.Name)
	}
	var lines []string
	const final = "An error marked by idem.Final is stored"
	if w.m.Tx() {
		kept := final
		if list := by["store"]; len(list) > 0 {
			kept = "Its " + orList(list) + ", or an error marked by idem.Final, is stored"
		}
		return []string{"Every error rolls everything back, and a retry runs " + w.m.Name + ". " + kept + " after that and replayed to duplicates instead."}
	}
	if list := by["store"]; len(list) > 0 {
		lines = append(lines, "Its "+orList(list)+" is an outcome: stored, and replayed to duplicates.")
	}
	after := "After an error"
	if len(rules) > 0 {
		after = "After any other error"
	}
	if list := by["unknown"]; len(list) > 0 {
		lines = append(lines, "Its "+orList(list)+" leaves the outcome unknown, as a crash does.")
	}
	if list := by["release"]; len(list) > 0 {
		lines = append(lines, "After its "+orList(list)+" a retry runs "+w.m.Name+".")
	}
	return append(lines, after+" a retry runs "+w.m.Name+". "+final+" and replayed to duplicates; a timeout or a cancellation leaves the outcome unknown, as a crash does.")
}

// crash says what is left behind.
func (w *wrapper) crash() []string {
	m, o := w.m, recordOf(w.m.Method)
	lines := w.outerCrash()
	switch {
	case m.Request != nil:
		return lines
	case m.Tx() && o != nil:
		return append(lines, "A crash before the commit leaves nothing: a retry runs "+m.Name+". A crash after it loses only the reply: a retry is a duplicate.")
	case m.Token != nil && m.Tx() && !knows(m.Method):
		return append(lines, "What "+m.Name+" wrote is there if its commit was reached, and else nothing of it; a call with another token runs it again.")
	case m.Tx():
		return append(lines, "A crash before the commit leaves nothing: a retry runs "+m.Name+". A crash after it loses only the reply: "+w.afterCommit()+".")
	case o == nil && m.Unique != nil:
		return append(lines, "A crash while "+m.Name+" runs leaves what it had done by then: once its row is inserted, a retry is a duplicate.")
	case o == nil:
		return append(lines, "A crash while "+m.Name+" runs leaves what it had done by then: nothing here knows how far it came.")
	}
	lease := span(leaseOf(o))
	if o.Orphan == model.OrphanHold {
		lines = append(lines, "A crash while "+m.Name+" runs leaves its outcome unknown (orphan=hold): once the lease of "+lease+
			" has passed, every call with the key gets idem.ErrOutcomeUnknown until somebody who knows what happened says so with idem.Resolve, ResolveError or ResolveRerun (see "+w.m.held+").")
	} else {
		lines = append(lines, "A crash while "+m.Name+" runs leaves its outcome unknown (orphan=rerun): once the lease of "+lease+
			" has passed, the next call runs "+m.Name+" again, so what the first one did may happen twice.")
	}
	if o.FailOpen {
		lines = append(lines, "While the store can't be reached "+m.Name+" runs unguarded (onoutage=open).")
	}
	return lines
}

// ttlOf is the retention in nanoseconds, with the runtime's default.
func ttlOf(o *model.Once) int64 {
	if o.TTL == 0 {
		return 24 * 3600e9
	}
	return o.TTL
}
