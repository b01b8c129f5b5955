package grpcidem_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/grpcidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// site is a real server with a guarded method, and a client of it.
type site struct {
	*testing.T
	testpb.TestServiceClient
	ran    atomic.Int64
	handle func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error)
}

// service is the server's half.
type service struct {
	testpb.UnimplementedTestServiceServer
	site *site
}

func (s service) UnaryCall(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	s.site.ran.Add(1)
	return s.site.handle(ctx, r)
}

func newSite(t *testing.T, store idem.RecordStore, rule grpcidem.Rule, handle func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error), opts ...idem.Option) *site {
	t.Helper()
	s := &site{T: t, handle: handle}
	if store == nil {
		store = memstore.New()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(grpcidem.UnaryServer(idem.New(idem.GlobalScope, opts...), store, rule)))
	testpb.RegisterTestServiceServer(server, service{site: s})
	go server.Serve(l)
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithUnaryInterceptor(grpcidem.UnaryClient()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s.TestServiceClient = testpb.NewTestServiceClient(conn)
	return s
}

// call calls with a key and a payload; it tells whether the answer was replayed.
func (s *site) call(key, payload string) (text string, replayed bool, err error) {
	return s.callCtx(grpcidem.WithKey(context.Background(), key), payload)
}

func (s *site) callCtx(ctx context.Context, payload string) (string, bool, error) {
	var header metadata.MD
	res, err := s.TestServiceClient.UnaryCall(ctx, &testpb.SimpleRequest{Payload: &testpb.Payload{Body: []byte(payload)}}, grpc.Header(&header))
	return res.GetUsername(), grpcidem.Replayed(header), err
}

func (s *site) times(n int64) {
	s.Helper()
	if got := s.ran.Load(); got != n {
		s.Errorf("the handler ran %d times, want %d", got, n)
	}
}

func paid(_ context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	return &testpb.SimpleResponse{Username: "paid " + string(r.GetPayload().GetBody()), OauthScope: "all"}, nil
}

// TestLaw_H1_ReplayEqualsTheFirst over gRPC: the message comes again, with a marker.
func TestLaw_H1_ReplayEqualsTheFirst(t *testing.T) {
	s := newSite(t, nil, grpcidem.Rule{}, paid)
	for i := range 3 {
		text, replayed, err := s.call("k", "7")
		if err != nil || text != "paid 7" || replayed != (i > 0) {
			t.Errorf("call %d: %q %v %v", i, text, replayed, err)
		}
	}
	s.times(1)
}

// TestLaw_C10_EmptyMessages are results, and are replayed.
func TestLaw_C10_EmptyMessages(t *testing.T) {
	s := newSite(t, nil, grpcidem.Rule{}, func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		return &testpb.SimpleResponse{}, nil
	})
	for range 2 {
		if text, _, err := s.call("k", ""); err != nil || text != "" {
			t.Errorf("%q %v", text, err)
		}
	}
	s.times(1)
}

// TestLaw_H2_CodesDecide what becomes of the claim.
func TestLaw_H2_CodesDecide(t *testing.T) {
	for code, want := range map[codes.Code]struct {
		then codes.Code
		ran  int64
	}{
		codes.InvalidArgument: {codes.InvalidArgument, 1}, codes.NotFound: {codes.NotFound, 1}, codes.FailedPrecondition: {codes.FailedPrecondition, 1},
		codes.Unavailable: {codes.Unavailable, 2}, codes.ResourceExhausted: {codes.ResourceExhausted, 2}, codes.Aborted: {codes.Aborted, 2},
		codes.Internal: {codes.Unknown, 1}, codes.Unknown: {codes.Unknown, 1}, codes.DeadlineExceeded: {codes.Unknown, 1},
	} {
		s := newSite(t, nil, grpcidem.Rule{Lease: 30 * time.Millisecond}, func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
			return nil, status.Error(code, "as the business said")
		})
		_, _, err := s.call("k", "")
		if status.Code(err) != code || !strings.Contains(err.Error(), "as the business said") {
			t.Errorf("%v: %v", code, err)
		}
		time.Sleep(50 * time.Millisecond)
		_, replayed, err := s.call("k", "")
		if status.Code(err) != want.then || errors.Is(err, idem.ErrOutcomeUnknown) != (want.then == codes.Unknown) || replayed != (want.ran == 1 && want.then == code && code != codes.Unknown) {
			t.Errorf("%v: then %v, replayed %v", code, err, replayed)
		}
		s.times(want.ran)
	}
}

// TestLaw_H2_LayersInsideDecide: what a layer inside says for now is no outcome of the
// call: another try, with another token, is heard.
func TestLaw_H2_LayersInsideDecide(t *testing.T) {
	for _, passing := range []error{
		idem.ErrInProgress, idem.ErrLockHeld, idem.ErrConflict, idem.ErrStoreUnavailable, idem.ErrOutcomeUnknown,
		idem.ErrTokenMissing, idem.ErrTokenExpired, idem.ErrTokenUnknown, idem.ErrTokenMismatch,
	} {
		refuse := true
		s := newSite(t, nil, grpcidem.Rule{}, func(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
			if refuse {
				return nil, fmt.Errorf("inside: %w", passing)
			}
			return paid(ctx, r)
		})
		if _, _, err := s.call("k", ""); !errors.Is(err, passing) {
			t.Errorf("%v: %v", passing, err)
		}
		refuse = false
		if _, replayed, err := s.call("k", ""); err != nil || replayed {
			t.Errorf("%v: then %v, replayed %v", passing, err, replayed)
		}
	}
	for _, stays := range []error{idem.ErrKeyReused, idem.ErrIllegalTransition, idem.ErrTokenUsed, idem.ErrResultTooLarge} {
		s := newSite(t, nil, grpcidem.Rule{}, func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) { return nil, stays })
		_, _, first := s.call("k", "")
		if _, replayed, err := s.call("k", ""); !errors.Is(first, stays) || !errors.Is(err, stays) || !replayed {
			t.Errorf("%v: then %v, replayed %v", stays, err, replayed)
		}
		s.times(1)
	}
}

// TestLaw_K5_SameKeyOtherPayload is refused, with its sentinel on the client.
func TestLaw_K5_SameKeyOtherPayload(t *testing.T) {
	s := newSite(t, nil, grpcidem.Rule{}, paid)
	if _, _, err := s.call("k", "a"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.call("k", "b"); !errors.Is(err, idem.ErrKeyReused) || status.Code(err) != codes.InvalidArgument {
		t.Errorf("%v", err)
	}
	if text, replayed, err := s.call("k", "a"); err != nil || text != "paid a" || !replayed {
		t.Errorf("%q %v %v", text, replayed, err)
	}
	off := newSite(t, nil, grpcidem.Rule{Fingerprint: func(string, proto.Message) []idem.Part { return nil }}, paid)
	off.call("k", "a")
	if text, _, err := off.call("k", "b"); err != nil || text != "paid a" {
		t.Errorf("%q %v", text, err)
	}
}

// TestLaw_C1_OneOfMany: one runs, the others replay or are told when to come again.
func TestLaw_C1_OneOfMany(t *testing.T) {
	for _, wait := range []time.Duration{0, 5 * time.Second} {
		s := newSite(t, nil, grpcidem.Rule{Wait: wait}, func(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
			time.Sleep(50 * time.Millisecond)
			return paid(ctx, r)
		})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				text, _, err := s.call("k", "7")
				if err == nil && text == "paid 7" || wait == 0 && errors.Is(err, idem.ErrInProgress) && status.Code(err) == codes.Aborted {
					return
				}
				t.Errorf("%q %v", text, err)
			})
		}
		wg.Wait()
		s.times(1)
	}
}

// TestLaw_H2_ClientGone: the handler's context outlives the client.
func TestLaw_H2_ClientGone(t *testing.T) {
	started, gone := make(chan struct{}), make(chan struct{})
	s := newSite(t, nil, grpcidem.Rule{Wait: 5 * time.Second}, func(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		close(started)
		<-gone
		time.Sleep(20 * time.Millisecond)
		if ctx.Err() != nil {
			t.Error("the handler's context ended with the client")
		}
		return paid(ctx, r)
	})
	ctx, cancel := context.WithCancel(grpcidem.WithKey(context.Background(), "k"))
	done := make(chan error)
	go func() { _, _, err := s.callCtx(ctx, "7"); done <- err }()
	<-started
	cancel()
	if err := <-done; status.Code(err) != codes.Canceled {
		t.Error(err)
	}
	close(gone)
	if text, replayed, err := s.call("k", "7"); err != nil || text != "paid 7" || !replayed {
		t.Errorf("%q %v %v", text, replayed, err)
	}
	s.times(1)
}

// TestLaw_C9_Oversize is done, and never runs again.
func TestLaw_C9_Oversize(t *testing.T) {
	s := newSite(t, nil, grpcidem.Rule{MaxResult: 10}, paid)
	if text, _, err := s.call("k", "7"); err != nil || text != "paid 7" {
		t.Errorf("%q %v", text, err)
	}
	if _, _, err := s.call("k", "7"); !errors.Is(err, idem.ErrResultTooLarge) || status.Code(err) != codes.AlreadyExists {
		t.Errorf("%v", err)
	}
	s.times(1)
}

// down is a store that can't be reached.
type down struct{ idem.RecordStore }

func (down) Claim(context.Context, idem.Claim) (idem.Found, error) {
	return idem.Found{}, idem.ErrStoreUnavailable
}

// TestLaw_C15_Outage: the handler does not run, unless the rule opts out.
func TestLaw_C15_Outage(t *testing.T) {
	s := newSite(t, down{memstore.New()}, grpcidem.Rule{}, paid)
	if _, _, err := s.call("k", "7"); !errors.Is(err, idem.ErrStoreUnavailable) || status.Code(err) != codes.Unavailable {
		t.Errorf("%v", err)
	}
	s.times(0)
	s = newSite(t, down{memstore.New()}, grpcidem.Rule{FailOpen: true}, paid)
	if _, _, err := s.call("k", "7"); err != nil {
		t.Error(err)
	}
}

// TestLaw_H5_MethodAndPrincipal are part of the key; keys are checked, and may be
// required.
func TestLaw_H5_MethodAndPrincipal(t *testing.T) {
	who := func(ctx context.Context) string {
		return strings.Join(metadata.ValueFromIncomingContext(ctx, "user"), "")
	}
	s := newSite(t, nil, grpcidem.Rule{Principal: who, Required: true}, paid)
	as := func(user, key string) error {
		ctx := metadata.AppendToOutgoingContext(context.Background(), "user", user, grpcidem.KeyName, key)
		_, _, err := s.callCtx(ctx, "7")
		return err
	}
	for _, user := range []string{"ann", "bob", "ann"} {
		if err := as(user, "k"); err != nil {
			t.Error(err)
		}
	}
	s.times(2)
	if err := as("", "k"); !errors.Is(err, idem.ErrMissingScope) {
		t.Error(err)
	}
	for _, key := range []string{"", strings.Repeat("k", 256)} {
		if err := as("ann", key); !errors.Is(err, idem.ErrMissingKey) || status.Code(err) != codes.InvalidArgument {
			t.Error(err)
		}
	}
	ctx := metadata.AppendToOutgoingContext(context.Background(), grpcidem.KeyName, "a", grpcidem.KeyName, "b")
	if _, _, err := s.callCtx(ctx, "7"); !errors.Is(err, idem.ErrMissingKey) {
		t.Error(err)
	}
	s.times(2)
}

// TestLaw_H4_MarkersOfClientsAreIgnored.
func TestLaw_H4_MarkersOfClientsAreIgnored(t *testing.T) {
	s := newSite(t, nil, grpcidem.Rule{}, func(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		return &testpb.SimpleResponse{Username: idem.Header(ctx, grpcidem.ReplayedName) + strings.Join(metadata.ValueFromIncomingContext(ctx, grpcidem.ReplayedName), "") + idem.Header(ctx, "x-idempotent-token")}, nil
	})
	ctx := metadata.AppendToOutgoingContext(context.Background(), grpcidem.ReplayedName, "true", "x-idempotent-token", "t")
	if text, replayed, err := s.callCtx(ctx, "7"); err != nil || text != "t" || replayed {
		t.Errorf("%q %v %v", text, replayed, err)
	}
}

// TestWrappersInside: without a rule the interceptor carries metadata to generated
// wrappers and turns their errors into codes and details.
func TestWrappersInside(t *testing.T) {
	op := idem.Op{Name: "test.Pay", Key: []string{"id"}, Orphan: idem.OrphanHold}
	engine := idem.New(idem.GlobalScope)
	tokens, store := memstore.NewTokens(), memstore.New()
	token := idem.NewToken()
	if err := tokens.Issue(context.Background(), idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, TTL: time.Minute}); err != nil {
		t.Fatal(err)
	}
	ran := 0
	s := newSite(t, nil, grpcidem.Rule{Methods: []string{"/other/Method"}}, func(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		call := engine.Call(ctx, &op, idem.Bytes(r.GetPayload().GetBody()))
		p := idem.Presented{Store: tokens, Op: &idem.TokenOp{From: "metadata x-idempotent-token"}, Token: idem.Header(ctx, "x-idempotent-token"), Records: store}
		return idem.Token(ctx, p, call, func(ctx context.Context) (*testpb.SimpleResponse, error) { ran++; return paid(ctx, r) })
	})
	if _, _, err := s.call("k", "7"); !errors.Is(err, idem.ErrTokenMissing) || status.Code(err) != codes.InvalidArgument {
		t.Errorf("%v", err)
	}
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-idempotent-token", token.Reveal())
	if text, _, err := s.callCtx(ctx, "7"); err != nil || text != "paid 7" {
		t.Errorf("%q %v", text, err)
	}
	_, _, err := s.callCtx(ctx, "7")
	if !errors.Is(err, idem.ErrTokenUsed) || status.Code(err) != codes.FailedPrecondition || strings.Contains(err.Error(), token.Reveal()) {
		t.Errorf("%v", err)
	}
	if ran != 1 {
		t.Errorf("ran %d times", ran)
	}
}

// TestToStatus follows the outcome table both ways, and leaves other errors alone.
func TestToStatus(t *testing.T) {
	for _, row := range idem.Statuses() {
		if row.Err() == nil {
			continue
		}
		err := grpcidem.ToStatus(row.Err())
		if status.Code(err) != codes.Code(row.GRPC) || !errors.Is(grpcidem.FromStatus(err), row.Err()) || status.Code(grpcidem.FromStatus(err)) != codes.Code(row.GRPC) {
			t.Errorf("%s: %v", row.Code, err)
		}
	}
	plain, st := errors.New("x"), status.Error(codes.NotFound, "y")
	if grpcidem.ToStatus(nil) != nil || grpcidem.FromStatus(nil) != nil || grpcidem.ToStatus(plain) != plain || grpcidem.ToStatus(st) != st || grpcidem.FromStatus(st) != st || grpcidem.FromStatus(plain) != plain {
		t.Error("other errors changed")
	}
}

// TestLaw_C5_Panic: the claim stays and nobody knows.
func TestLaw_C5_Panic(t *testing.T) {
	interceptor := grpcidem.UnaryServer(idem.New(idem.GlobalScope), memstore.New(), grpcidem.Rule{Lease: 20 * time.Millisecond})
	ctx := metadata.NewIncomingContext(context.Background(), metadata.Pairs(grpcidem.KeyName, "k"))
	call := func(handle grpc.UnaryHandler) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = errors.New("panic")
			}
		}()
		_, err = interceptor(ctx, &testpb.SimpleRequest{}, &grpc.UnaryServerInfo{FullMethod: "/a/B"}, handle)
		return err
	}
	if err := call(func(context.Context, any) (any, error) { panic("boom") }); err == nil || err.Error() != "panic" {
		t.Error(err)
	}
	time.Sleep(40 * time.Millisecond)
	err := call(func(context.Context, any) (any, error) { t.Error("ran"); return nil, nil })
	if !errors.Is(grpcidem.FromStatus(err), idem.ErrOutcomeUnknown) {
		t.Error(err)
	}
}
