package httpidem_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// form sends a form.
func (s *site) form(path, key, body string) answer {
	s.Helper()
	return s.send("POST", path, key, body, "Content-Type", "application/x-www-form-urlencoded")
}

// TestLaw_K1_FunctionsOfTheRouteReadTheBody: principal and fingerprint may read the
// form, the handler still finds all of it.
func TestLaw_K1_FunctionsOfTheRouteReadTheBody(t *testing.T) {
	s := newSite(t, httpidem.Route{
		Principal: func(r *http.Request) string { return r.FormValue("user") },
		Fingerprint: func(r *http.Request, _ []byte) []idem.Part {
			rest, _ := io.ReadAll(r.Body)
			return []idem.Part{idem.String(r.FormValue("amount")), idem.Bytes(rest)}
		},
	}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PostFormValue("user"), " ", r.PostFormValue("amount"))
	})
	s.want(s.form("/pay", "k", "user=ann&amount=5"), 200, "ann 5", false)
	s.want(s.form("/pay", "k", "user=ann&amount=5"), 200, "ann 5", true)
	s.want(s.form("/pay", "k", "user=ann&amount=6"), 422, "key_reused", false)
	s.want(s.form("/pay", "k", "user=bob&amount=5"), 200, "bob 5", false)
	s.want(s.form("/pay", "k", "amount=5"), 400, "missing_scope", false)
	s.times(2)
}

// TestLaw_C5_FunctionsOfTheRoutePanic: nothing is claimed, the line says it, the next
// request runs.
func TestLaw_C5_FunctionsOfTheRoutePanic(t *testing.T) {
	var log syncBuffer
	broken := func(r *http.Request) {
		if r.Header.Get("X-Break") != "" {
			panic(http.ErrAbortHandler)
		}
	}
	s := newSite(t, httpidem.Route{
		Log:         logger(&log),
		Principal:   func(r *http.Request) string { broken(r); return "ann" },
		Fingerprint: func(r *http.Request, body []byte) []idem.Part { broken(r); return []idem.Part{idem.Bytes(body)} },
	}, echo)
	for range 2 {
		if a, err := s.try("POST", "/pay", "k", "x", "X-Break", "1"); err == nil {
			t.Errorf("got %v", a)
		}
	}
	if n := strings.Count(log.String(), "outcome=panicked"); n != 2 || s.store.Len() != 0 {
		t.Errorf("%d lines, %d records\n%s", n, s.store.Len(), log.String())
	}
	s.want(s.post("k", "x"), 200, "x", false)
	s.times(1)
	status := newSite(t, httpidem.Route{Lease: 20 * time.Millisecond, Status: func(int) idem.Settling { panic(http.ErrAbortHandler) }}, echo)
	if a, err := status.try("POST", "/pay", "k", "x"); err == nil {
		t.Errorf("got %v", a)
	}
	time.Sleep(30 * time.Millisecond)
	status.want(status.post("k", "x"), 409, "outcome_unknown", false)
	odd := newSite(t, httpidem.Route{Lease: 20 * time.Millisecond, Status: func(int) idem.Settling { return 77 }}, echo)
	odd.want(odd.post("k", "x"), 200, "x", false)
	time.Sleep(30 * time.Millisecond)
	odd.want(odd.post("k", "x"), 409, "outcome_unknown", false)
}

// TestLaw_H1_PrincipalsAreSecrets: a session that is the principal stands neither in
// the store nor in the log.
func TestLaw_H1_PrincipalsAreSecrets(t *testing.T) {
	var log syncBuffer
	kept := &recording{RecordStore: newStore(t)}
	s := newSiteOn(t, idem.New(idem.GlobalScope), kept, httpidem.Route{
		Log: logger(&log), Principal: func(r *http.Request) string { return r.Header.Get("Authorization") },
	}, echo)
	s.want(s.post("k", "x", "Authorization", "SECRET"), 200, "x", false)
	if text := log.String() + kept.keys; strings.Contains(text, "SECRET") || strings.Contains(text, hex.EncodeToString([]byte("SECRET"))) || kept.keys == "" {
		t.Errorf("the principal is in\n%s", text)
	}
}

// TestLaw_C5_FormFilesAreRemoved: the server removes the files of a form that the
// handler read.
func TestLaw_C5_FormFilesAreRemoved(t *testing.T) {
	var name string
	s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1); err != nil {
			t.Error(err)
			return
		}
		f, err := r.MultipartForm.File["f"][0].Open()
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if file, is := f.(*os.File); is {
			name = file.Name()
		}
		n, _ := io.Copy(io.Discard, f)
		fmt.Fprint(w, n)
	})
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("f", "f.bin")
	part.Write(make([]byte, 100<<10))
	form.Close()
	for _, key := range []string{"k", ""} {
		s.want(s.send("POST", "/pay", key, body.String(), "Content-Type", form.FormDataContentType(), "Idempotency-Replayed", "true"), 200, "102400", false)
		if _, err := os.Stat(name); name == "" || !os.IsNotExist(err) {
			t.Errorf("key %q: %q is left: %v", key, name, err)
		}
	}
}

// TestLaw_H5_PatternsAndMethods: keys belong to paths, not to patterns; who stands in
// front of a gate still learns the pattern; methods may be written small.
func TestLaw_H5_PatternsAndMethods(t *testing.T) {
	gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{Methods: []string{"post"}})
	mux := http.NewServeMux()
	ran := 0
	mux.HandleFunc("POST /orders/{id}/pay", func(w http.ResponseWriter, r *http.Request) { ran++; io.WriteString(w, r.PathValue("id")) })
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {})
	var patterns []string
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		gate.Wrap(mux).ServeHTTP(w, r)
		patterns = append(patterns, r.Pattern)
	}))
	for _, id := range []string{"7", "8"} {
		s.want(s.send("POST", "/orders/"+id+"/pay", "k", ""), 200, id, false)
		s.want(s.send("POST", "/orders/"+id+"/pay", "k", ""), 200, id, true)
	}
	s.send("GET", "/orders/7", "", "")
	want := "POST /orders/{id}/pay,,POST /orders/{id}/pay,,GET /orders/{id}"
	if got := strings.Join(patterns, ","); got != want || ran != 2 {
		t.Errorf("ran %d times, patterns %q, want %q", ran, got, want)
	}
}

// TestLaw_C2_LimitsBelowZero are told, not lived with.
func TestLaw_C2_LimitsBelowZero(t *testing.T) {
	for _, route := range []httpidem.Route{{MaxBody: -1}, {MaxResult: -1}, {TTL: -2}, {Lease: 1}, {Wait: -1}} {
		s := newSite(t, route, echo)
		s.want(s.post("k", ""), 500, "invalid_op", false)
		s.times(0)
	}
}

// TestLaw_C1_TheSameGateTwice on one way is one gate: it does not wait for itself.
func TestLaw_C1_TheSameGateTwice(t *testing.T) {
	var log syncBuffer
	store, engine := newStore(t), idem.New(idem.GlobalScope)
	guard := httpidem.Middleware(engine, store, httpidem.Route{Log: logger(&log)})
	ran := 0
	s := serve(t, guard(guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ran++; echo(w, r) }))))
	s.want(s.post("k", "x"), 200, "x 1", false)
	s.want(s.post("k", "x"), 200, "x 1", true)
	if ran != 1 || strings.Count(log.String(), "\n") != 2 {
		t.Errorf("ran %d times\n%s", ran, log.String())
	}
}

// TestLaw_H2_LayersInsideDecide: what a layer inside says for now is no outcome of the
// gate, or a retry would hear nothing else.
func TestLaw_H2_LayersInsideDecide(t *testing.T) {
	for _, err := range []error{
		&idem.InProgressError{Op: "x"}, idem.ErrLockHeld, idem.ErrRetryTransaction, idem.ErrConflict, idem.ErrOutcomeUnknown,
		idem.ErrStoreUnavailable, fmt.Errorf("wrapped: %w", idem.ErrLeaseLost),
		idem.ErrTokenMissing, idem.ErrTokenExpired, idem.ErrTokenUnknown, idem.ErrTokenMismatch,
	} {
		s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) { httpidem.Problem(w, err) })
		s.post("k", "")
		s.post("k", "")
		if s.times(2); t.Failed() {
			t.Fatal(err)
		}
	}
	for _, err := range []error{idem.ErrKeyReused, idem.ErrIllegalTransition, idem.ErrNotFound, idem.ErrTokenUsed, idem.ErrResultTooLarge} {
		s := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) { httpidem.Problem(w, err) })
		first, second := s.post("k", ""), s.post("k", "")
		if s.want(second, first.StatusCode, first.body, true); t.Failed() {
			t.Fatal(err)
		}
	}
	asks := newSite(t, httpidem.Route{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(map[string]int{"/busy": 409, "/poll": 202}[r.URL.Path])
	})
	for range 2 {
		asks.want(asks.send("POST", "/busy", "k", ""), 409, "", false)
	}
	asks.want(asks.send("POST", "/poll", "k", ""), 202, "", false)
	asks.want(asks.send("POST", "/poll", "k", ""), 202, "", true)
}

// TestLaw_H2_HandlersThatKnowBetter say so, also through writers in between.
func TestLaw_H2_HandlersThatKnowBetter(t *testing.T) {
	for said, then := range map[idem.Settling]int{idem.SettleComplete: 500, idem.SettleRelease: 500, idem.SettleUnknown: 409, 0: 409} {
		ran := 0
		gate := httpidem.New(idem.New(idem.GlobalScope), newStore(t), httpidem.Route{Lease: 20 * time.Millisecond})
		s := serve(t, gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ran++
			w = wrapped{w}
			if httpidem.Settle(w, said) != (said != 0) {
				t.Errorf("%v was not heard", said)
			}
			w.WriteHeader(500)
		})))
		s.want(s.post("k", ""), 500, "", false)
		time.Sleep(30 * time.Millisecond)
		if a := s.post("k", ""); a.StatusCode != then || ran != map[bool]int{true: 2, false: 1}[said == idem.SettleRelease] {
			t.Errorf("%v: ran %d times, then %v", said, ran, a)
		}
	}
	if httpidem.Settle(nothing{}, idem.SettleRelease) {
		t.Error("heard where no gate is")
	}
}

// wrapped is a writer of some middleware.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestLaw_X5_HeadersReachTheLayersInside, guarded or not.
func TestLaw_X5_HeadersReachTheLayersInside(t *testing.T) {
	token := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, idem.Header(r.Context(), "x-token")) }
	s := newSite(t, httpidem.Route{}, token)
	bare := serve(t, httpidem.Headers(http.HandlerFunc(token)))
	for _, a := range []answer{
		s.post("k", "", "X-Token", "t"), s.post("", "", "X-Token", "t"), s.send("GET", "/", "", "", "X-Token", "t"), bare.post("", "", "X-Token", "t"),
	} {
		s.want(a, 200, "t", false)
	}
}

// TestLaw_C15_OpenIsSaid: the line of a request that ran unguarded says so.
func TestLaw_C15_OpenIsSaid(t *testing.T) {
	var log syncBuffer
	s := newSiteOn(t, idem.New(idem.GlobalScope), down{newStore(t)}, httpidem.Route{FailOpen: true, Log: logger(&log)}, echo)
	s.want(s.post("k", "x"), 200, "x", false)
	if !strings.Contains(log.String(), "outcome=unguarded") || !strings.Contains(log.String(), "level=WARN") {
		t.Error(log.String())
	}
}

// TestLaw_C4_LossReachesDetachedHandlers: a handler whose client has gone still hears
// that its claim is lost.
func TestLaw_C4_LossReachesDetachedHandlers(t *testing.T) {
	started, gone, cause := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	s := newSiteOn(t, idem.New(idem.GlobalScope), lost{newStore(t)}, httpidem.Route{Lease: 300 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-gone
		<-r.Context().Done()
		cause <- context.Cause(r.Context())
	})
	<-s.leave(started, "k", "x")
	close(gone)
	if err := <-cause; err == nil || err.Error() != idem.ErrLeaseLost.Error() {
		t.Error(err)
	}
}
