package grpcidem_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/grpcidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// unaryCall is the method of the site.
const unaryCall = "/grpc.testing.TestService/UnaryCall"

// keys hears the keys of events as people read them.
type keys struct {
	mu   sync.Mutex
	text string
}

func (k *keys) Observe(_ context.Context, e idem.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.text += e.Key.String() + "\n"
}

// TestLaw_H5_PrincipalsAreSecrets: a session is part of the key by its hash alone.
func TestLaw_H5_PrincipalsAreSecrets(t *testing.T) {
	seen := &keys{}
	rule := grpcidem.Rule{Principal: func(context.Context) string { return "Bearer SECRET" }}
	s := newSite(t, nil, rule, paid, idem.WithObserver(seen))
	for range 2 {
		if text, _, err := s.call("k", "7"); err != nil || text != "paid 7" {
			t.Errorf("%q %v", text, err)
		}
	}
	s.times(1)
	if !strings.Contains(seen.text, unaryCall) || strings.Contains(seen.text, "SECRET") {
		t.Errorf("keys read %s", seen.text)
	}
}

// TestLaw_C7_AWaiterWhoseClientHasGone runs nothing.
func TestLaw_C7_AWaiterWhoseClientHasGone(t *testing.T) {
	began, release := make(chan struct{}, 2), make(chan struct{})
	s := newSite(t, nil, grpcidem.Rule{Wait: 10 * time.Second}, func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		began <- struct{}{}
		<-release
		return nil, status.Error(codes.Unavailable, "later")
	})
	first := make(chan error)
	go func() {
		_, _, err := s.call("k", "7")
		first <- err
	}()
	<-began
	ctx, cancel := context.WithTimeout(grpcidem.WithKey(t.Context(), "k"), 100*time.Millisecond)
	defer cancel()
	if _, _, err := s.callCtx(ctx, "7"); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("the waiter: %v", err)
	}
	close(release)
	if err := <-first; status.Code(err) != codes.Unavailable {
		t.Errorf("the first: %v", err)
	}
	time.Sleep(200 * time.Millisecond) // a waiter that is left behind would run now
	s.times(1)
}

// TestLaw_C17_HeldCallsAreResolved: by a response, by an error, by another run.
func TestLaw_C17_HeldCallsAreResolved(t *testing.T) {
	store, engine := memstore.New(), idem.New(idem.GlobalScope)
	rule := grpcidem.Rule{Lease: 20 * time.Millisecond}
	s := newSite(t, store, rule, func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		return nil, errors.New("what now")
	})
	gate := grpcidem.New(engine, store, rule)
	incoming := func(key string) context.Context {
		return metadata.NewIncomingContext(t.Context(), metadata.Pairs(grpcidem.KeyName, key))
	}
	for _, key := range []string{"response", "error", "rerun"} {
		if _, _, err := s.call(key, "7"); status.Code(err) != codes.Unknown {
			t.Fatal(err)
		}
	}
	time.Sleep(40 * time.Millisecond)
	if _, _, err := s.call("response", "7"); !errors.Is(err, idem.ErrOutcomeUnknown) {
		t.Errorf("held: %v", err)
	}
	for _, err := range []error{
		gate.Resolve(incoming("response"), unaryCall, &testpb.SimpleResponse{Username: "paid after all"}),
		gate.ResolveError(incoming("error"), unaryCall, status.New(codes.FailedPrecondition, "declined")),
		gate.ResolveRerun(incoming("rerun"), unaryCall),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if text, replayed, err := s.call("response", "7"); err != nil || text != "paid after all" || !replayed {
		t.Errorf("%q %v %v", text, replayed, err)
	}
	if _, replayed, err := s.call("error", "7"); status.Code(err) != codes.FailedPrecondition || !replayed {
		t.Errorf("%v %v", replayed, err)
	}
	if _, replayed, err := s.call("rerun", "7"); status.Code(err) != codes.Unknown || replayed {
		t.Errorf("%v %v", replayed, err)
	}
	s.times(4)

	for name, err := range map[string]error{
		"not held": gate.ResolveRerun(incoming("response"), unaryCall),
		"no key":   gate.ResolveRerun(t.Context(), unaryCall),
		"OK":       gate.ResolveError(incoming("error"), unaryCall, status.New(codes.OK, "")),
	} {
		if err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	if err := gate.ResolveRerun(incoming("response"), unaryCall); !errors.Is(err, idem.ErrNotHeld) {
		t.Error(err)
	}
}

// TestRulesThatGuardNothing are told: names that are none, that a server does not have,
// that stream, limits below zero, requests of another kind.
func TestRulesThatGuardNothing(t *testing.T) {
	engine, store := idem.New(idem.GlobalScope), memstore.New()
	for name, rule := range map[string]grpcidem.Rule{
		"no slash": {Methods: []string{"grpc.testing.TestService/UnaryCall"}}, "no method": {Methods: []string{"/grpc.testing.TestService"}},
		"lease": {Lease: -1}, "wait": {Wait: -1}, "ttl": {TTL: time.Microsecond}, "limit": {MaxResult: -1},
	} {
		gate := grpcidem.New(engine, store, rule)
		_, err := gate.UnaryServer()(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: unaryCall}, func(context.Context, any) (any, error) {
			t.Errorf("%s: ran", name)
			return nil, nil
		})
		if !errors.Is(gate.Err(), idem.ErrInvalidOp) || status.Code(err) != codes.Internal {
			t.Errorf("%s: %v, %v", name, gate.Err(), err)
		}
	}
	if err := grpcidem.New(engine, nil, grpcidem.Rule{}).Err(); !errors.Is(err, idem.ErrInvalidOp) {
		t.Errorf("no store: %v", err)
	}

	server := grpc.NewServer()
	testpb.RegisterTestServiceServer(server, service{})
	for methods, want := range map[string]string{
		unaryCall: "", "/grpc.testing.TestService/UnaryCal": "has no method", "/grpc.testing.Other/UnaryCall": "has no method",
		"/grpc.testing.TestService/FullDuplexCall": "streams",
	} {
		err := grpcidem.New(engine, store, grpcidem.Rule{Methods: []string{methods}}).Check(server.GetServiceInfo())
		if (err == nil) != (want == "") || err != nil && (!errors.Is(err, idem.ErrInvalidOp) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", methods, err)
		}
	}

	stream := "/grpc.testing.TestService/FullDuplexCall"
	gate := grpcidem.New(engine, store, grpcidem.Rule{Methods: []string{stream}})
	err := gate.StreamServer()(nil, nil, &grpc.StreamServerInfo{FullMethod: stream}, func(any, grpc.ServerStream) error {
		t.Error("the stream ran")
		return nil
	})
	if status.Code(err) != codes.Internal {
		t.Error(err)
	}

	ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs(grpcidem.KeyName, "k"))
	_, err = grpcidem.UnaryServer(engine, store, grpcidem.Rule{})(ctx, "no message", &grpc.UnaryServerInfo{FullMethod: unaryCall}, func(context.Context, any) (any, error) {
		t.Error("ran unguarded")
		return nil, nil
	})
	if status.Code(err) != codes.Internal {
		t.Error(err)
	}
}
