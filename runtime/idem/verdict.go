package idem

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"syscall"
)

// verdict is what the return of a method does to its claim (C12). Marks and rules
// come first; without them one unknown error, wherever it is wrapped or joined,
// makes the outcome unknown.
func (c *Call) verdict(ctx context.Context, err error) ErrorAction {
	if do, said := said(c.op, err); said {
		return do
	}
	if c.engine.unknown != nil && c.engine.unknown(err) || anyOf(err, unknown) || ctx.Err() != nil {
		// When the context has ended, an error of any other make is most likely a
		// library's word for that.
		return UnknownError
	}
	return ReleaseError
}

// said is what an error says by itself: its marks, then those of the replayed
// errors in it, then the rules of the operation, which may be nil.
func said(op *Op, err error) (do ErrorAction, said bool) {
	if do, said = marked(err); said {
		return do, true
	}
	if anyOf(err, replayedFinal) {
		return StoreError, true // as the inner call's first error was
	}
	if op != nil {
		for i := range op.Errors {
			if errors.Is(err, op.Errors[i].Err) {
				return op.Errors[i].Do, true
			}
		}
	}
	return ReleaseError, false
}

// decided tells an error of a method that can't be a store's wish for another
// attempt, whatever it wraps or reads like: it is marked, replayed or stored.
func decided(op *Op, err error) bool {
	if _, is := marked(err); is {
		return true
	}
	var old *ReplayedError
	if errors.As(err, &old) {
		return true
	}
	do, is := said(op, err)
	return is && do == StoreError
}

// own is the error that a caller gets for what a store made of its method's: the
// method's own, where the store took it for a wish to retry and it is none.
func own(op *Op, bodyErr, err error) error {
	if errors.Is(err, ErrRetryTransaction) && decided(op, bodyErr) {
		return bodyErr
	}
	return err
}

// marked finds the marks of an error. The outermost decides; of two that are
// joined, Final.
func marked(err error) (do ErrorAction, found bool) {
	if mark, is := err.(*markedError); is {
		if mark.final {
			return StoreError, true
		}
		return ReleaseError, true
	}
	for _, inner := range wrapped(err) {
		if d, is := marked(inner); is {
			found = true
			if d == StoreError {
				do = d
			}
		}
	}
	return do, found
}

func replayedFinal(err error) bool {
	old, is := err.(*ReplayedError)
	return is && old.final
}

// anyOf tells whether something is true of an error or of one that it wraps, in
// every branch of the tree.
func anyOf(err error, is func(error) bool) bool {
	return err != nil && (is(err) || slices.ContainsFunc(wrapped(err), func(inner error) bool { return anyOf(inner, is) }))
}

// unsent tells a connection that was never made, and did not take too long: nobody
// heard of the call, whatever the reason.
func unsent(err error) bool {
	op, is := err.(*net.OpError)
	return is && op.Op == "dial" && !op.Timeout()
}

// wrapped lists what an error wraps and does not answer for itself.
func wrapped(err error) []error {
	if unsent(err) {
		return nil
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		if list := e.Unwrap(); !answers(list) {
			return list
		}
	}
	return nil
}

// answers tells errors of a store that answers for what it wraps: a guarded call inside
// could not be begun or is rolled back, however the connection broke.
func answers(list []error) bool {
	return slices.Contains(list, ErrStoreUnavailable) &&
		!slices.ContainsFunc(list, func(err error) bool { return errors.Is(err, ErrCommitUnknown) })
}

// unknowns are errors after which nobody knows whether the effect took place:
// deadlines, cancellations, and connections that broke after something may have
// been sent. driver.ErrBadConn is none: by its contract nothing was sent.
var unknowns = [...]error{
	context.Canceled, context.DeadlineExceeded, io.ErrUnexpectedEOF, net.ErrClosed,
	syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED,
	ErrOutcomeUnknown, ErrCommitUnknown, ErrLeaseLost, ErrLockLost,
}

// brokenTexts are broken connections of libraries that have nothing but words for
// them. A text ends there or goes on behind a semicolon.
var brokenTexts = [...]string{
	"sql: connection is already closed",                   // database/sql
	"invalid connection",                                  // go-sql-driver/mysql
	"conn closed",                                         // pgx
	"http: server closed idle connection",                 // net/http
	"http2: server sent GOAWAY and closed the connection", // net/http, golang.org/x/net
	"http2: client connection lost",
}

// gRPC codes after which nobody knows.
const (
	grpcCanceled         = 1
	grpcDeadlineExceeded = 4
)

// unknown tells an error after which nobody knows, without what it wraps.
func unknown(err error) bool {
	is, _ := err.(interface{ Is(error) bool })
	for _, e := range unknowns {
		if err == e || is != nil && is.Is(e) {
			return true
		}
	}
	switch e := err.(type) {
	case *net.OpError:
		return !unsent(e)
	case *url.Error:
		return e.Timeout() || errors.Is(e.Err, io.EOF)
	case interface{ Timeout() bool }:
		return e.Timeout()
	case interface{ SafeToRetry() bool }: // pgx
		return !e.SafeToRetry()
	}
	if code, is := grpcCode(err); is {
		return code == grpcCanceled || code == grpcDeadlineExceeded || code == grpcUnavailable
	}
	text := err.Error()
	return slices.ContainsFunc(brokenTexts[:], func(broken string) bool {
		rest, begins := strings.CutPrefix(text, broken)
		return begins && (rest == "" || rest[0] == ';')
	})
}

// grpcCode finds the code of a gRPC status: GRPCStatus().Code().
func grpcCode(err error) (code uint64, found bool) {
	v := reflect.ValueOf(err)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return 0, false
	}
	state, ok := answer(v.MethodByName("GRPCStatus"))
	if !ok || (state.Kind() == reflect.Pointer || state.Kind() == reflect.Interface) && state.IsNil() {
		return 0, false
	}
	c, ok := answer(state.MethodByName("Code"))
	if !ok || !c.CanUint() {
		return 0, false
	}
	return c.Uint(), true
}

// answer calls a method without parameters that has one result.
func answer(m reflect.Value) (reflect.Value, bool) {
	if !m.IsValid() || m.Type().NumIn() != 0 || m.Type().NumOut() != 1 {
		return reflect.Value{}, false
	}
	return m.Call(nil)[0], true
}
