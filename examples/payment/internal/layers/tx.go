package layers

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Tx stands around the store of transactions and records.
type Tx struct {
	idem.TxStore[*sql.Tx]
	switches *Switches
	forget   func(ctx context.Context, tx *sql.Tx, orderID string) error
}

// Tx watches a store of transactions. While Record is off a call's record is kept where no other call finds it. While State is off forget, which puts an order back to where it began, runs first in each transaction.
func (s *Switches) Tx(store idem.TxStore[*sql.Tx], forget func(ctx context.Context, tx *sql.Tx, orderID string) error) *Tx {
	return &Tx{store, s, forget}
}

// Paying hears that the method of a payment runs, which it does behind the state machine and in front of the index.
func Paying(ctx context.Context) {
	t := traceOf(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs = true
}

// InTx writes down what record, state machine and index did.
func (s *Tx) InTx(ctx context.Context, c idem.Claim, body func(ctx context.Context, tx *sql.Tx) (idem.Outcome, error)) (idem.Found, error) {
	t, recordOff, stateOff, indexOff := traceOf(ctx), !s.switches.On(Record), !s.switches.On(State), !s.switches.On(Index)
	if recordOff {
		rand.Read(c.Key.Hash[:])
	}
	var bodyErr error
	found, err := s.TxStore.InTx(ctx, c, func(ctx context.Context, tx *sql.Tx) (out idem.Outcome, err error) {
		t.ran(false)
		if stateOff {
			if err := s.forget(ctx, tx, t.order); err != nil {
				return out, err
			}
		}
		out, bodyErr = body(ctx, tx)
		return out, bodyErr
	})
	switch {
	case err != nil && bodyErr == nil: // no answer of a layer
	case found.Status == idem.Done:
		t.note(Record, Replayed)
	case found.Status == idem.Running:
		t.note(Record, Running)
	default:
		t.note(Record, either(recordOff, Claimed))
		t.behind(bodyErr, stateOff, indexOff)
	}
	return found, err
}

// behind writes down what the layers behind the record did with a call that had none.
func (t *Trace) behind(err error, stateOff, indexOff bool) {
	switch runs := t.ran(true); {
	case runs && err == nil:
		t.note(State, either(stateOff, Moved))
		t.note(Index, either(indexOff, Inserted))
	case runs: // the engine's observer hears what the index said
		t.note(State, either(stateOff, Moved))
	case err == nil:
		t.note(State, Duplicate)
	case errors.Is(err, idem.ErrTransition):
		t.note(State, Refused)
	}
}

// ran tells whether the method ran; without keep that is forgotten: another transaction begins.
func (t *Trace) ran(keep bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	runs := t.runs
	t.runs = runs && keep
	return runs
}

func either(off bool, v Verdict) Verdict {
	if off {
		return Off
	}
	return v
}

// Lookup finds no record while they are off.
func (s *Tx) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	if !s.switches.On(Record) {
		return idem.Found{Status: idem.Absent}, nil
	}
	return s.TxStore.Lookup(ctx, k)
}
