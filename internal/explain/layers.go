package explain

import (
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/cost"
	"github.com/idemgen/idemgen/internal/model"
)

// layer is what one kind of layer adds to an explanation.
type layer struct {
	on       func(m *model.Method) bool
	outcomes func(e *Explanation, m *model.Method)
	costs    func(e *Explanation, m *model.Method)
}

// layers is the table, outermost first.
var layers = []layer{
	{func(m *model.Method) bool { return m.Request != nil }, requestOutcomes, func(e *Explanation, m *model.Method) {
		e.cost("request", "first request: claim and response", cost.FreshClaim, cost.Complete)
		e.cost("request", "a retry", cost.Duplicate)
	}},
	{func(m *model.Method) bool { return m.Token != nil }, tokenOutcomes, tokenCosts},
	{func(m *model.Method) bool { return m.Lock != nil }, lockOutcomes, lockCosts},
	{recorded, recordOutcomes, recordCosts},
	{func(m *model.Method) bool { return m.Fire != nil }, fireOutcomes, fireCosts},
	{func(m *model.Method) bool { return m.Unique != nil }, uniqueOutcomes, func(e *Explanation, m *model.Method) {
		e.cost("unique", "first call: nothing more")
		if m.Tx() {
			e.cost("unique", "a duplicate: rollback, and the look-up in a new transaction", cost.BareTransaction, cost.BareTransaction)
		} else {
			e.cost("unique", "a duplicate: the look-up", cost.Event)
		}
	}},
}

func requestOutcomes(e *Explanation, m *model.Method) {
	r := m.Request
	if r.Required {
		e.outcome("missing_key", "the request has no "+r.Header)
	} else {
		e.outcome("missing_key", r.Header+" is malformed; without one the request passes through unguarded")
	}
	if r.Principal != nil {
		e.outcome("missing_scope", r.Principal.Text+" is empty")
	}
	e.outcome("key_reused", "the key came with another query or body")
	e.outcome("in_progress", "the first request is still running"+waitText(r.Wait))
	e.outcome("result_too_large", "the response was too large to keep; the handler ran")
	e.outcome("outcome_unknown", unknownText(r.Orphan, "the first request"))
	e.outcome("lease_lost", "the claim was taken over while the handler ran")
}

func tokenOutcomes(e *Explanation, m *model.Method) {
	e.outcome("token_missing", "no token was presented")
	used := "the token was used"
	if recorded(m) {
		used = "the token was used, and the record of its call is gone"
	}
	e.outcome("token_used", used)
	e.outcome("token_expired", "the token's time was up")
	e.outcome("token_unknown", "no such token was issued")
	if m.Token.Bind != nil {
		e.outcome("token_mismatch", "the token was issued to another than "+m.Token.Bind.Text+"; it stays good")
	}
	if recorded(m) {
		e.outcome("key_reused", "the token was used for another call")
	} else if text := matchText(m); text != "" {
		e.outcome("key_reused", "the token was used with another "+text)
	}
	e.outcome("in_progress", "another call is using the token")
	if !m.DatabaseLayer() && !recorded(m) {
		e.outcome("outcome_unknown", "who used the token vanished, and nothing knows how far it came")
	}
}

func tokenCosts(e *Explanation, m *model.Method) {
	e.cost("token", "to issue one", cost.Issue)
	e.cost("token", "a call: consume and finish", cost.Consume, cost.Finish)
	if recorded(m) {
		e.cost("token", "the same token again: refused, and the record looked up", cost.ConsumeRefused, cost.LookUp)
	} else {
		e.cost("token", "the same token again: refused", cost.ConsumeRefused)
	}
}

func lockOutcomes(e *Explanation, m *model.Method) {
	held := "another call holds the lock"
	if m.Lock.Wait > 0 {
		held += ", for longer than " + span(m.Lock.Wait)
	}
	e.outcome("missing_key", "a part of the key is empty or nil")
	e.outcome("lock_held", held)
	lost := "the lock was lost; what the call did stands"
	if m.Tx() {
		lost = "the lock was lost before the commit: rolled back"
	}
	e.outcome("lock_lost", lost)
}

func lockCosts(e *Explanation, m *model.Method) {
	if m.Lock.Check == nil && recorded(m) && m.Lock.SameKey {
		e.cost("lock", "a call: lock, both checks, unlock", cost.LockAndUnlock)
		e.cost("lock", "a duplicate: the lock is needless", cost.AcquireNeedless)
		return
	}
	e.cost("lock", "a call: lock and unlock", cost.Acquire, cost.Unlock)
	switch {
	case m.Lock.Check != nil:
		e.cost("lock", "each check: "+m.Lock.Check.Method+"'s own")
	case recorded(m):
		e.cost("lock", "each check: the record", cost.LookUp)
	}
	e.cost("lock", "while it is held: each try", cost.AcquireBusy)
}

func recordOutcomes(e *Explanation, m *model.Method) {
	e.outcome("missing_key", "a part of the key is empty or nil")
	if m.Scope != nil {
		e.outcome("missing_scope", m.ScopeText+" is empty")
	} else {
		e.outcome("missing_scope", "the engine's scope function has no answer; never with idem.GlobalScope")
	}
	matchOutcomes(e, m)
	var wait int64
	if m.Once != nil {
		wait = m.Once.Wait
	}
	e.outcome("in_progress", "the first call is still running"+waitText(wait))
	if o := m.Once; o != nil && len(m.Results) > 0 && !o.NoResult && o.Lookup == nil {
		e.outcome("result_too_large", "done before, but the result was too large to keep")
		e.outcome("result_unreadable", "done before, but the stored result can't be decoded any more")
	}
	if !m.Tx() {
		e.outcome("outcome_unknown", unknownText(orphanOf(m), "the first call"))
		e.outcome("lease_lost", "the claim was taken over while the method ran")
	}
}

// matchOutcomes are those of the fingerprint.
func matchOutcomes(e *Explanation, m *model.Method) {
	if text := matchText(m); text != "" {
		e.outcome("key_reused", "the same key came with another "+text)
	}
	if slices.ContainsFunc(m.Match, func(p model.Part) bool { return p.Kind == model.KindOther }) {
		e.outcome("unhashable", "a parameter has no canonical form: a float that is not a number, a cycle")
	}
}

func recordCosts(e *Explanation, m *model.Method) {
	name := "once"
	if m.Message != nil {
		name = "message"
	}
	if m.Tx() {
		e.cost(name, "first call, with one business statement", cost.FreshCall)
		e.cost(name, "the same transaction unguarded", cost.BareTransaction)
		e.cost(name, "a duplicate", cost.DuplicateCall)
		if m.Joins() {
			e.cost(name, m.Name+"Tx, with the caller's begin and commit", cost.JoinedCall)
		}
		return
	}
	e.cost(name, "first call: claim and outcome", cost.FreshClaim, cost.Complete)
	e.cost(name, "a duplicate", cost.Duplicate)
	e.cost(name, "each third of the lease while it runs", cost.Renew)
}

func fireOutcomes(e *Explanation, m *model.Method) {
	f := m.Fire
	event := f.Machine.Name + "." + f.Event.Ident
	if f.Lookup == nil && len(m.Results) > 0 {
		gone := ""
		if recorded(m) {
			gone = ", and the record of that call is gone"
		}
		e.outcome("duplicate_transition", event+" was applied before"+gone)
		e.outcome("superseded", event+" was applied before, and the row has moved on"+gone)
	}
	eventOutcomes(e, f.Machine, f.Event)
}

func fireCosts(e *Explanation, m *model.Method) {
	if len(m.Fire.Machine.History) > 0 {
		e.cost("fire", "the event and its history, in the transaction: 1 statement on Postgres, else 2")
	} else {
		e.cost("fire", "the event, in the transaction", cost.Event)
	}
	e.cost("fire", "an event that does not apply: the update, and why not", cost.EventRefused)
}

func uniqueOutcomes(e *Explanation, m *model.Method) {
	// A duplicate is answered by the look-up: ok.
}

func orphanOf(m *model.Method) model.Orphan {
	if m.Message != nil {
		return m.Message.Orphan
	}
	return m.Once.Orphan
}

func leaseOf(m *model.Method) int64 {
	if m.Message != nil {
		return m.Message.Lease
	}
	return m.Once.Lease
}

func unknownText(o model.Orphan, who string) string {
	if o == model.OrphanHold {
		return who + " vanished, timed out or panicked (orphan=hold): until idem.Resolve"
	}
	return "never: after the lease the next call runs it again (orphan=rerun)"
}

func waitText(ns int64) string {
	if ns > 0 {
		return ", for longer than " + span(ns)
	}
	return ""
}

func openText(m *model.Method) string {
	if m.Once != nil && m.Once.FailOpen || m.Message != nil && m.Message.FailOpen {
		return "; with onoutage=open it runs unguarded instead"
	}
	return ""
}

// errorFate says what becomes of an ordinary error.
func errorFate(m *model.Method) string {
	switch {
	case m.Request != nil:
		return ": by its status; 401, 429 and 503 let a retry run, other 5xx leave the outcome unknown"
	case m.Tx() && !recorded(m):
		return ": rolled back, a retry runs"
	case m.Tx():
		return ": rolled back, a retry runs; " + storedErrors(m)
	case recorded(m):
		return ": a retry runs; " + storedErrors(m) + "; " + unknownErrors(m) + " leaves the outcome unknown"
	}
	return ""
}

// storedErrors says which errors are the outcome.
func storedErrors(m *model.Method) string {
	names := append([]string{"idem.Final"}, ruled(m, "store")...)
	if len(names) == 1 {
		return "idem.Final stores it"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " are stored"
}

// unknownErrors says which errors tell nothing of what was done.
func unknownErrors(m *model.Method) string {
	return strings.Join(append(ruled(m, "unknown"), "a time-out", "a panic"), " or ")
}

// ruled are the errors that errors= gives an action.
func ruled(m *model.Method, do string) (names []string) {
	var rules []model.ErrorRule
	switch {
	case m.Message != nil:
		rules = m.Message.Errors
	case m.Once != nil:
		rules = m.Once.Errors
	}
	for _, r := range rules {
		if r.Do == do {
			names = append(names, r.Name)
		}
	}
	return names
}

// matchText names what a retry must repeat beside the key; "" for nothing.
func matchText(m *model.Method) string {
	var key []model.Part
	switch {
	case m.Once != nil:
		key = m.Once.Key
	case m.Message != nil:
		key = m.Message.Key
	}
	var texts []string
	for _, p := range m.Match {
		if !slices.ContainsFunc(key, func(k model.Part) bool { return k.Text == p.Text }) {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, " or ")
}

// span writes nanoseconds as a directive does: 24h, 30s, for ever.
func span(ns int64) string {
	if ns == model.Never {
		return "for ever"
	}
	s := time.Duration(ns).String()
	s = strings.TrimSuffix(s, "0s")
	if strings.HasSuffix(s, "m") || s == "" {
		s = strings.TrimSuffix(s, "0m")
	} else if !strings.HasSuffix(s, "h") {
		s = time.Duration(ns).String()
	}
	return s
}
