package explain

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// consistency says what a method's layers promise, in the words of the README.
func consistency(m *model.Method) string {
	switch {
	case m.Request != nil:
		return "weak, first line of defence: a retry gets the first response while its record is kept; what the handler writes needs a guard of its own"
	case m.Tx() && recorded(m):
		return "exactly one effect in the transaction's database, within the record's retention" + andFire(m)
	case m.Tx() && m.Fire != nil:
		return "at most one effect per row and event: the state decides, in the method's transaction"
	case m.Unique != nil:
		return "at most one row: the unique index decides"
	case recorded(m):
		return "at most one execution holds a valid lease for a key; when an owner vanishes, orphan=" + orphanWord(orphanOf(m)) + " decides"
	case m.Tx():
		return "what the method writes commits or rolls back as a whole; the layers in front keep duplicates out while their stores live"
	}
	return "none by itself: the layers keep duplicates out while their stores live and their times hold"
}

func andFire(m *model.Method) string {
	if m.Fire != nil {
		return "; after that the row's state still decides"
	}
	return ""
}

func orphanWord(o model.Orphan) string {
	if o == model.OrphanHold {
		return "hold"
	}
	return "rerun"
}

// crashes lists the moments at which a process may die, in the order of a call.
func (e *Explanation) crashes(m *model.Method) {
	if m.Request != nil {
		e.requestCrashes(m)
		return
	}
	outside := outerHeld(m)
	e.crash("before anything", "nothing", "runs as the first call")
	if t := m.Token; t != nil {
		next := "until then idem.ErrInProgress; after that the token works again, and the layers inside know whether the effect took place"
		if !m.DatabaseLayer() && !recorded(m) {
			next = "until then idem.ErrInProgress; after that idem.ErrOutcomeUnknown: nobody knows how far it came"
		}
		e.crash("the token is consumed", "a consumed token, for its lease of "+span(t.Lease), next)
	}
	if l := m.Lock; l != nil {
		wait := "idem.ErrLockHeld"
		if l.Wait > 0 {
			wait = "waits up to " + span(l.Wait) + ", then idem.ErrLockHeld"
		}
		e.crash("the lock is held", "the lock, for at most its ttl of "+span(l.TTL)+also(m.Token != nil, "the consumed token"), wait+"; after the ttl it gets the lock with a higher fence, and the check decides")
	}
	switch {
	case m.Tx():
		e.txCrashes(m, outside)
	case recorded(m):
		e.leaseCrashes(m, outside)
	case m.Unique != nil:
		e.crash("the method has written", "the row"+outside, "its row violates the index: the answer of "+m.Unique.Lookup.Method)
	default:
		e.crash(m.Name+" runs", "what it had done by then"+outside, "nothing here knows how far it came")
	}
	if m.Token != nil && (m.Tx() || recorded(m)) {
		next := duplicateAnswer(m)
		e.crash("before the token is finished", "the effect, and a consumed token", "with the same token: "+next)
	}
}

func (e *Explanation) txCrashes(m *model.Method, outside string) {
	open := []string{}
	if recorded(m) {
		open = append(open, "claimed")
	}
	if m.Fire != nil {
		open = append(open, "moved the row")
	}
	open = append(open, "run "+m.Name)
	if recorded(m) {
		open = append(open, "stored the result")
	}
	rolledBack := "nothing: the database rolls back"
	if outside != "" {
		rolledBack += ";" + strings.Replace(outside, ", and", "", 1)
	}
	for i := range open {
		e.crash("the transaction has "+strings.Join(open[:i+1], ", "), rolledBack, runsAfter(m))
	}
	e.crash("COMMIT is sent, its reply is not there", "either of the rows around this one", "finds out by its own look-up")
	e.crash("after the commit", "the effect"+with(recorded(m), "its record")+outside, duplicateAnswer(m))
}

// runsAfter is what a call meets that was rolled back, behind what the layers outside
// still hold.
func runsAfter(m *model.Method) string {
	next := "runs as the first call"
	if m.Lock != nil {
		next += ", once the lock is free"
	}
	if m.Token != nil {
		next += "; with the same token idem.ErrInProgress until its lease ends"
	}
	return next
}

func (e *Explanation) leaseCrashes(m *model.Method, outside string) {
	lease := span(leaseOf(m))
	next := "until the lease of " + lease + " ends idem.ErrInProgress; after it "
	if orphanOf(m) == model.OrphanHold {
		next += "idem.ErrOutcomeUnknown, until idem.Resolve, ResolveError or ResolveRerun (orphan=hold)"
	} else {
		next += "runs " + m.Name + " again (orphan=rerun)"
	}
	e.crash("the key is claimed, "+m.Name+" has not begun", "a claim"+outside, next)
	e.crash(m.Name+" runs", "a claim, and what "+m.Name+" had done by then"+outside, next)
	e.crash(m.Name+" has returned, its outcome is not stored", "a claim, and the effect"+outside, next)
	e.crash("the outcome is stored", "the effect and its record"+outside, duplicateAnswer(m))
}

func (e *Explanation) requestCrashes(m *model.Method) {
	r := m.Request
	next := "until the lease of " + span(r.Lease) + " ends 409 in_progress; after it "
	if r.Orphan == model.OrphanHold {
		next += "409 outcome_unknown, until Gate.Resolve or Gate.ResolveRerun (orphan=hold)"
	} else {
		next += "runs " + m.Name + " again (orphan=rerun)"
	}
	e.crash("before the claim", "nothing", "runs as the first request")
	e.crash("the key is claimed, "+m.Name+" runs", "a claim, and what the handler had done by then", next)
	e.crash("the handler has returned, its response is not stored", "a claim, and the effect; the client has seen nothing", next)
	e.crash("the response is stored, and not sent or not all of it", "the effect and its response", "the stored response, Idempotency-Replayed: true")
}

// outerHeld is what the layers outside leave behind besides.
func outerHeld(m *model.Method) string {
	var held []string
	if m.Lock != nil {
		held = append(held, "the lock, for its ttl")
	}
	if m.Token != nil {
		held = append(held, "the consumed token, for its lease")
	}
	if len(held) == 0 {
		return ""
	}
	return ", and " + strings.Join(held, " and ")
}

func also(on bool, what string) string {
	if on {
		return ", and " + what
	}
	return ""
}

func with(on bool, what string) string {
	if on {
		return " and " + what
	}
	return ""
}

// duplicateAnswer is what a call that was done before gets.
func duplicateAnswer(m *model.Method) string {
	switch {
	case m.Message != nil:
		return "no error: the message is acknowledged, " + m.Name + " does not run"
	case m.Once != nil && m.Once.NoResult && m.Once.Lookup != nil:
		return "the answer of " + m.Once.Lookup.Method
	case m.Once != nil && (m.Once.NoResult || len(m.Results) == 0):
		return "no error; " + m.Name + " does not run"
	case m.Once != nil:
		return "the stored result"
	case m.Fire != nil && m.Fire.Lookup != nil:
		return "the answer of " + m.Fire.Lookup.Method
	case m.Fire != nil && len(m.Results) == 0:
		return "no error: the event was applied before"
	case m.Fire != nil:
		return "a *idem.TransitionError of kind Duplicate or Superseded"
	case m.Unique != nil:
		return "the answer of " + m.Unique.Lookup.Method
	case m.Token != nil:
		return "idem.ErrTokenUsed"
	case m.Lock != nil && m.Lock.Check != nil:
		return "the answer of " + m.Lock.Check.Method
	}
	return "runs again: nothing inside remembers"
}
