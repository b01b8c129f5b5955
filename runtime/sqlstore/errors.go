package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
)

// storeError is an error of the store's own statements: what was being done,
// what it means to a caller (kind, nil for nothing in particular), and what
// the driver said, which errors.As still finds.
type storeError struct {
	doing string
	kind  error
	err   error
}

func (e *storeError) Error() string {
	if e.kind == nil {
		return "idem: " + e.doing + ": " + e.err.Error()
	}
	return e.kind.Error() + ": " + e.doing + ": " + e.err.Error()
}

func (e *storeError) Unwrap() []error {
	if e.kind == nil {
		return []error{e.err}
	}
	return []error{e.kind, e.err}
}

// claimGone is the error of a claim whose outcome can't be stored any more.
func claimGone() error {
	return &storeError{doing: "complete", kind: idem.ErrLeaseLost, err: errClaimGone}
}

// fault wraps an error of one of the store's statements. When the context
// ended, that is the reason, whatever the driver makes of it.
func (r *records) fault(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return &storeError{doing: doing, kind: ended(ctx), err: err}
	}
	class, _ := r.classify(err)
	return &storeError{doing: doing, kind: sentinels[class], err: err}
}

// commitFault tells a COMMIT that has certainly failed from one of which
// nobody knows (T8).
func (r *records) commitFault(err error) error {
	class, answered := r.classify(err)
	if !answered {
		return &storeError{doing: "commit", kind: idem.ErrCommitUnknown, err: err}
	}
	return &storeError{doing: "commit", kind: sentinels[class], err: err}
}

// bodyFault leaves a business error as it is, but for the ones that a new
// transaction may cure: those are ErrRetryTransaction as well (T3).
func (r *records) bodyFault(err error) error {
	if class, _ := r.classify(err); class == ClassRetry && !errors.Is(err, idem.ErrRetryTransaction) {
		return &storeError{doing: "transaction", kind: idem.ErrRetryTransaction, err: err}
	}
	return err
}

// ended is the error of a context that is over, with its cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return fmt.Errorf("idem: %w", err)
	}
	return fmt.Errorf("idem: %w: %w", err, cause)
}
