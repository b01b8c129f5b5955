package idem_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestLaw_C9_TooLargeIsDone(t *testing.T) {
	w := newWorld(t, idem.WithMaxResult(10))
	big := strings.Repeat("x", 100)
	got, err := once(w, "k", big, nil)
	ok(t, err)
	equal(t, "first result", got, big)
	_, err = once(w, "k", "", nil)
	is(t, err, idem.ErrResultTooLarge)
	equal(t, "runs", w.ran, 1)
	equal(t, "events", w.log.count(idem.EventOversize), 1)
	lookup := func(context.Context) (string, error) { return "looked up", nil }
	got, err = idem.OnceOr(context.Background(), w.store, w.call("k"), lookup, func(context.Context) (string, error) { w.ran++; return "", nil })
	ok(t, err)
	equal(t, "looked up", got, "looked up")
	equal(t, "runs", w.ran, 1)
	w.op.MaxResult = 1000
	_, err = once(w, "k2", big, nil)
	ok(t, err)
	got, err = once(w, "k2", "", nil)
	ok(t, err)
	equal(t, "within the operation's limit", got, big)
}

func TestLaw_C9_UnreadableIsDone(t *testing.T) {
	w := newWorld(t)
	_, err := once(w, "k", "text", nil)
	ok(t, err)
	n, err := once(w, "k", 1, nil) // a later release returns another type
	is(t, err, idem.ErrResultUnreadable)
	equal(t, "result", n, 0)
	got, err := idem.OnceOr(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) { return 5, nil }, nil)
	ok(t, err)
	equal(t, "looked up", got, 5)

	_, err = once(w, "part", map[string]any{"ID": "r", "Amount": "much"}, nil)
	ok(t, err)
	r, err := once(w, "part", receipt{}, nil)
	is(t, err, idem.ErrResultUnreadable)
	equal(t, "half of a result", r.ID, "")

	// A result that can't be encoded is done as well.
	first, err := once(w, "chan", map[string]any{"c": make(chan int)}, nil)
	ok(t, err)
	equal(t, "first result", len(first), 1)
	_, err = once(w, "chan", map[string]any{}, nil)
	is(t, err, idem.ErrResultUnreadable)
	equal(t, "runs", w.ran, 3)

	w.op.Codec = gobCodec{}
	_, err = once(w, "gob", 5, nil)
	ok(t, err)
	w.op.Codec = nil
	_, err = once(w, "gob", 6, nil) // the codec is gone
	is(t, err, idem.ErrResultUnreadable)
}

type gobCodec struct{}

func (gobCodec) Name() string { return "gob" }
func (gobCodec) Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}
func (gobCodec) Decode(data []byte, v any) error {
	return gob.NewDecoder(bytes.NewReader(data)).Decode(v)
}

// fidelity runs a method twice and expects the same result.
func fidelity[R any](t *testing.T, opts []idem.Option, res R) {
	t.Helper()
	w := newWorld(t, opts...)
	first, err := once(w, "k", res, nil)
	ok(t, err)
	again, err := once(w, "k", *new(R), nil)
	ok(t, err)
	if !reflect.DeepEqual(first, res) || !reflect.DeepEqual(again, res) {
		t.Errorf("%#v came back as %#v", res, again)
	}
	equal(t, "runs", w.ran, 1)
	equal(t, "replays", w.log.count(idem.EventReplayed), 1)
}

func TestLaw_C10_ResultsAreReplayedAsTheyWere(t *testing.T) {
	for name, opts := range map[string][]idem.Option{"json": nil, "gob": {idem.WithCodec(gobCodec{})}} {
		t.Run(name, func(t *testing.T) {
			fidelity(t, opts, newReceipt())
			fidelity(t, opts, (*receipt)(nil))
			fidelity(t, opts, receipt{ID: "x"})
			fidelity(t, opts, []string(nil))
			fidelity(t, opts, []string{"a"})
			fidelity(t, opts, map[string]int(nil))
			fidelity(t, opts, []byte(nil))
			fidelity(t, opts, json.RawMessage(nil))
			fidelity(t, opts, "")
			fidelity(t, opts, 0)
			fidelity(t, opts, idem.None{})
		})
	}
	fidelity(t, nil, receipt{})
	fidelity(t, nil, &receipt{})
	fidelity(t, nil, []string{})
	fidelity(t, nil, []byte{})
	fidelity(t, nil, map[string]int{})
	fidelity(t, nil, []*receipt{nil, {}})
	fidelity(t, nil, struct {
		R0 *receipt
		R1 []int
	}{R1: []int{}})
}

func TestLaw_C10_NoResult(t *testing.T) {
	w := newWorld(t)
	w.op.NoResult = true
	got, err := once(w, "k", 5, nil)
	ok(t, err)
	equal(t, "first result", got, 5)
	got, err = once(w, "k", 6, nil)
	ok(t, err)
	equal(t, "replayed", got, 0)
	got, err = idem.OnceOr(context.Background(), w.store, w.call("k"), func(context.Context) (int, error) { return 7, nil }, nil)
	ok(t, err)
	equal(t, "looked up", got, 7)
	f, err := w.store.Lookup(context.Background(), w.call("k").Key())
	ok(t, err)
	equal(t, "stored bytes", len(f.Record.Outcome.Data), 0)
}

type timeout struct{}

func (timeout) Error() string { return "i/o timeout" }
func (timeout) Timeout() bool { return true }

func TestLaw_C12_WhatAnErrorMeans(t *testing.T) {
	errRelease, errStore, errUnknown := errors.New("release me"), errors.New("store me"), errors.New("unknown to me")
	rules := []idem.ErrorRule{
		{Name: "ErrRelease", Err: errRelease, Do: idem.ReleaseError},
		{Name: "ErrStore", Err: errStore, Do: idem.StoreError},
		{Name: "ErrUnknown", Err: errUnknown, Do: idem.UnknownError},
	}
	const released, stored, unknown = idem.Absent, idem.Done, idem.Running
	for _, r := range []struct {
		name string
		err  error
		want idem.ClaimStatus
	}{
		{"an ordinary error", errBiz, released},
		{"a deadline", fmt.Errorf("call: %w", context.DeadlineExceeded), unknown},
		{"a cancellation", context.Canceled, unknown},
		{"an os deadline", os.ErrDeadlineExceeded, unknown},
		{"a network time-out", fmt.Errorf("bank: %w", timeout{}), unknown},
		{"an HTTP client's time-out", &url.Error{Op: "Post", URL: "http://x", Err: timeout{}}, unknown},
		{"an answer that never came", &url.Error{Op: "Post", URL: "http://x", Err: io.EOF}, unknown},
		{"an answer cut off", fmt.Errorf("body: %w", io.ErrUnexpectedEOF), unknown},
		{"a reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, unknown},
		{"a refused connection", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, released},
		{"an end of file in the business", io.EOF, released},
		{"an unknown outcome inside", fmt.Errorf("inner: %w", idem.ErrOutcomeUnknown), unknown},
		{"Final", idem.Final(errBiz), stored},
		{"Final, wrapped", fmt.Errorf("pay: %w", idem.Final(errBiz)), stored},
		{"Final of a deadline", idem.Final(context.DeadlineExceeded), stored},
		{"Retryable", idem.Retryable(errBiz), released},
		{"Retryable deadline", idem.Retryable(context.DeadlineExceeded), released},
		{"Retryable against errors=store", idem.Retryable(errStore), released},
		{"errors=release", fmt.Errorf("x: %w", errRelease), released},
		{"errors=store", fmt.Errorf("x: %w", errStore), stored},
		{"errors=unknown", fmt.Errorf("x: %w", errUnknown), unknown},
		{"errors=release of a time-out", errors.Join(errRelease, timeout{}), released},
	} {
		w := newWorld(t)
		w.op.Errors = rules
		_, err := once(w, "k", 0, r.err)
		is(t, err, r.err)
		if got := w.status("k"); got != r.want {
			t.Errorf("%s: %v, want %v", r.name, got, r.want)
		}
	}
	if idem.Final(nil) != nil || idem.Retryable(nil) != nil {
		t.Error("a mark of nil is not nil")
	}
	w := newWorld(t) // the context has ended, whatever the error calls itself
	ctx, cancel := context.WithCancel(context.Background())
	_, err := idem.Once(ctx, w.store, w.call("k"), func(context.Context) (int, error) { cancel(); return 0, errBiz })
	is(t, err, errBiz)
	equal(t, "status", w.status("k"), idem.Running)
}

func TestLaw_C12_StoredErrorsReplay(t *testing.T) {
	other := errors.New("other")
	w := newWorld(t, idem.WithSentinels(idem.Sentinel{Name: "shop.ErrBiz", Err: errBiz}))
	w.op.Errors = []idem.ErrorRule{{Name: "ErrSoldOut", Err: errSoldOut, Do: idem.StoreError}}
	w.op.Sentinels = []idem.Sentinel{{Name: "ErrOther", Err: other}}
	for i, r := range []struct {
		err  error
		also []error
	}{
		{fmt.Errorf("item 5: %w", errSoldOut), []error{errSoldOut}},
		{idem.Final(errBiz), []error{errBiz}},
		{idem.Final(fmt.Errorf("%w and %w", other, errBiz)), []error{other, errBiz}},
		{idem.Final(idem.ErrNotFound), []error{idem.ErrNotFound}},
		{idem.Final(errors.New("nobody knows me")), nil},
	} {
		key := fmt.Sprint("k", i)
		_, first := once(w, key, 0, r.err)
		runs := w.ran
		_, again := once(w, key, 0, nil)
		equal(t, "runs", w.ran, runs)
		equal(t, "text", again.Error(), first.Error())
		var replayed *idem.ReplayedError
		if !errors.As(again, &replayed) {
			t.Errorf("%v is not a *ReplayedError", again)
		}
		for _, want := range r.also {
			is(t, again, want)
		}
		if errors.Is(again, io.EOF) {
			t.Error("a replayed error is something that it was not")
		}
	}
}

func TestLaw_C12_OuterCallTreatsAReplayedFinalLikeTheFirst(t *testing.T) {
	w := newWorld(t)
	outer := idem.Op{Name: "outer", Orphan: idem.OrphanRerun}
	for i, want := range []idem.ClaimStatus{idem.Done, idem.Done} {
		call := w.engine.Call(context.Background(), &outer, idem.Int(i))
		_, err := idem.Once(context.Background(), w.store, call, func(context.Context) (int, error) { return once(w, "inner", 0, idem.Final(errBiz)) })
		equal(t, "text", err.Error(), errBiz.Error())
		f, err := w.store.Lookup(context.Background(), call.Key())
		ok(t, err)
		equal(t, "outer record", f.Status, want)
	}
	equal(t, "runs", w.ran, 1)
}
