package templates

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// The parts of a doc comment that tell of the layers around a record: token, lock and
// request; and of message and unique.

// outerDuplicate says what the layers outside a record do to a call.
func (w *wrapper) outerDuplicate() []string {
	var lines []string
	if w.m.Request != nil {
		lines = append(lines, w.requestDuplicate()...)
	}
	if w.m.Token != nil {
		lines = append(lines, w.tokenDuplicate()...)
	}
	if w.m.Lock != nil {
		lines = append(lines, w.lockDuplicate()...)
	}
	return lines
}

func (w *wrapper) tokenDuplicate() []string {
	m, t := w.m, w.m.Token
	from := "The caller presents a token that was issued in advance (" + tokenSource(t) + ")"
	if t.Bind != nil {
		from += " to " + t.Bind.Text
	}
	used := "presented again it is idem.ErrTokenUsed"
	if recordOf(m.Method) != nil {
		used = "presented again for the same call it gets what a duplicate gets, while the record is kept, and then idem.ErrTokenUsed; for another call, idem.ErrKeyReused"
	}
	if text := w.matchText(); text != "" && recordOf(m.Method) == nil {
		used += ", with a different " + text + " idem.ErrKeyReused"
	}
	lines := []string{from + ". It works once: " + used + "."}
	refused := "Without one, or with one that has expired or was never issued, " + m.Name + " does not run: idem.ErrTokenMissing, ErrTokenExpired, ErrTokenUnknown."
	if t.Bind != nil {
		refused = strings.TrimSuffix(refused, ".") + "; one that was issued to somebody else is idem.ErrTokenMismatch, and stays good."
	}
	lines = append(lines, refused)
	rolledBack := "When " + m.Name + " fails and nothing of it is left, "
	if t.Burn {
		return append(lines, rolledBack+"the token is used up all the same (onfail=burn).")
	}
	return append(lines, rolledBack+"the token works again until it expires.")
}

func (w *wrapper) lockDuplicate() []string {
	m, l := w.m, w.m.Lock
	line := "Calls with the same " + keyText(l.Key) + " run one at a time: a call "
	if l.Wait > 0 {
		line += "waits up to " + span(l.Wait) + " for the lock, then it gets idem.ErrLockHeld."
	} else {
		line += "that finds the lock held gets idem.ErrLockHeld."
	}
	lines := []string{line}
	switch {
	case l.Check != nil:
		lines = append(lines, "Before the lock and again under it "+w.ofType(l.Check.Method)+" is asked; what it finds is the answer, and "+m.Name+" does not run.")
	case recordOf(m.Method) != nil:
		lines = append(lines, "Before the lock and again under it the record is looked up; what it holds is the answer.")
	}
	if m.Tx() {
		return append(lines, "A call that loses the lock before its commit is rolled back: idem.ErrLockLost.")
	}
	return append(lines, "The context of a call that loses the lock ends; it gets idem.ErrLockLost, and what it did stands.")
}

func (w *wrapper) requestDuplicate() []string {
	r := w.m.Request
	requests := "A request of any method but the safe ones"
	if len(r.Methods) > 0 {
		requests = "A request of method " + orList(r.Methods)
	}
	lines := []string{requests + " whose " + r.Header + " was seen before (" + keptFor(requestRecord(r)) + ", same path" + principalText(r) + ") gets the stored response; " + w.m.Name + " does not run again."}
	lines = append(lines, "The same key with another query or body gets 422.")
	if r.Wait > 0 {
		lines = append(lines, "While the first request is running, another waits up to "+span(r.Wait)+" for its response, then gets 409 with Retry-After.")
	} else {
		lines = append(lines, "While the first request is running, another gets 409 with Retry-After.")
	}
	if r.Required {
		return append(lines, "Without a key a request gets 400.")
	}
	return append(lines, "Without a key a request passes through unguarded.")
}

// messageDuplicate says what the dedupe record does to a second delivery.
func (w *wrapper) messageDuplicate() []string {
	m := w.m
	lines := []string{"A message that was handled (same key, " + keptFor(recordOf(m.Method)) + ") gets no error when it is delivered again; " + m.Name + " does not run."}
	if text := w.matchText(); text != "" {
		lines = append(lines, "The same key with a different "+text+" gets idem.ErrKeyReused.")
	}
	return append(lines, "While the first delivery is being handled, another gets idem.ErrInProgress and must not be acknowledged: idem.AnswerOf says what to tell the broker.")
}

// uniqueDuplicate says what a violation of the unique index comes to.
func (w *wrapper) uniqueDuplicate() string {
	u := w.m.Unique
	rolledBack := ""
	if w.m.Tx() {
		rolledBack = " is rolled back and"
	}
	return "A call whose row violates the unique index " + indexText(u) + rolledBack + " gets the answer of " + w.ofType(u.Lookup.Method) + "; where that finds nothing, the driver's error. Any other error stays as it is."
}

// outerCrash says what a crash leaves of the layers outside.
func (w *wrapper) outerCrash() []string {
	var lines []string
	m := w.m
	if r := m.Request; r != nil {
		lease := span(leaseOf(requestRecord(r)))
		if r.Orphan == model.OrphanHold {
			lines = append(lines, "A crash while "+m.Name+" runs leaves its outcome unknown (orphan=hold): once the lease of "+lease+" has passed, every request with the key gets 409 until somebody who knows what happened resolves it.")
		} else {
			lines = append(lines, "A crash while "+m.Name+" runs leaves its outcome unknown (orphan=rerun): once the lease of "+lease+" has passed, the next request runs "+m.Name+" again, so what the first one did may happen twice.")
		}
	}
	if t := m.Token; t != nil {
		line := "A crash leaves the token consumed: once its lease of " + span(t.Lease) + " has passed, "
		if knows(m.Method) {
			line += "a retry of the same call takes it over."
		} else {
			line += "every call with it gets idem.ErrOutcomeUnknown."
		}
		lines = append(lines, line)
	}
	if l := m.Lock; l != nil {
		lines = append(lines, "A crash leaves the lock held for at most its ttl of "+span(l.TTL)+".")
	}
	return lines
}

// afterCommit is what a retry meets when only the reply was lost.
func (w *wrapper) afterCommit() string {
	switch {
	case w.m.Fire != nil:
		return "a retry finds the row moved"
	case w.m.Unique != nil:
		return "a retry violates the unique index and is a duplicate"
	}
	return "a retry that the layers outside let pass runs " + w.m.Name + " again"
}
