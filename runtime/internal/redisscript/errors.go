package redisscript

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// storeError is an error of an operation: what was being done, what it means to a
// caller (kind, nil for nothing in particular), and what the client said, which
// errors.As still finds.
type storeError struct {
	doing string
	kind  error
	err   error
}

func (e *storeError) Error() string {
	if e.kind == nil {
		return "idem: redis: " + e.doing + ": " + e.err.Error()
	}
	return e.kind.Error() + ": redis: " + e.doing + ": " + e.err.Error()
}

func (e *storeError) Unwrap() []error {
	if e.kind == nil {
		return []error{e.err}
	}
	return []error{e.kind, e.err}
}

// outages are the replies of a server that can't do its work now, by their first
// word or words.
var outages = [...]string{
	"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "TRYAGAIN", "NOREPLICAS", "OOM", "MISCONF", "BUSY", "MOVED", "ASK",
	"ERR max number of clients reached",
}

// fault wraps an error of a client. When the context ended, that is the reason,
// whatever the client makes of it. What is no reply of a server is an outage.
func fault(ctx context.Context, doing string, err error) error {
	e := &storeError{doing: doing, err: err}
	var reply *ReplyError
	switch {
	case ctx.Err() != nil:
		e.kind = ended(ctx)
	case !errors.As(err, &reply) || isOutage(reply.Error()):
		e.kind = idem.ErrStoreUnavailable
	}
	return e
}

func isOutage(reply string) bool {
	for _, words := range outages {
		if rest, ok := strings.CutPrefix(reply, words); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// ended is the error of a context that is over, with its cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return fmt.Errorf("idem: %w", err)
	}
	return fmt.Errorf("idem: %w: %w", err, cause)
}

// noScript tells that the server doesn't know a script by its hash.
func noScript(err error) bool {
	var reply *ReplyError
	return errors.As(err, &reply) && strings.HasPrefix(reply.Error(), "NOSCRIPT")
}

// errLayout is a value that no version of this package known here wrote.
var errLayout = errors.New("the value has another layout: a newer program's, or not ours")

// errAnswer is an answer that the script doesn't give.
func errAnswer(doing, answer string) error {
	err := errLayout
	if answer != "X" {
		err = fmt.Errorf("unexpected answer of %d bytes", len(answer))
	}
	return &storeError{doing: doing, err: err}
}
