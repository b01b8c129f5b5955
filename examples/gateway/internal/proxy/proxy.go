// Package proxy sends requests on to a back end and judges what their answers mean for a retry.
//
// The flow: the back end is asked once, never again by the transport on its own; its status, or how the connection broke, says whether it did the thing (the response is kept), did nothing (a
// retry asks it again), or nobody knows (the key is held).
package proxy

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Options say where requests go and what their answers mean.
type Options struct {
	Backend *url.URL
	// Timeout bounds how long the back end may be silent: before its response, and within.
	Timeout time.Duration
	// Release are the statuses by which the back end says that it did nothing.
	Release map[int]bool
}

// requestID is the header by which the logs of gateway and back end are laid side by side. It names one try, and is no idempotency key.
const requestID = "X-Request-ID"

// New makes the proxy. It is safe for concurrent use.
func New(o Options, log *slog.Logger) http.Handler {
	reverse := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { rewrite(r, o.Backend) },
		Transport: transport(o.Timeout),
		ErrorLog:  slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ModifyResponse: func(res *http.Response) error {
			a := attemptOf(res.Request.Context())
			if res.StatusCode == http.StatusSwitchingProtocols {
				a.conn.release()
			}
			a.settle(judge(res, o.Release))
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { broken(w, r, err, log) },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reverse.ServeHTTP(w, r.WithContext(withAttempt(r.Context(), w)))
	})
}

// rewrite makes the request for the back end.
func rewrite(r *httputil.ProxyRequest, backend *url.URL) {
	r.SetURL(backend)
	r.Out.Host = r.In.Host
	r.SetXForwarded()
	r.Out.Header.Del("Expect") // the gateway has the body already, or will forward it as it comes
	if r.Out.Header.Get(requestID) == "" {
		r.Out.Header.Set(requestID, rand.Text())
	}
	if r.Out.Body == nil && r.Out.Method != http.MethodGet && r.Out.Method != http.MethodHead {
		// A transport takes Idempotency-Key for the leave to send a request without a body twice. This back end knows nothing of it.
		r.Out.Body = io.NopCloser(strings.NewReader(""))
	}
}

// judge says what the answer of the back end means for a retry (H2).
func judge(res *http.Response, release map[int]bool) idem.Settling {
	switch code := res.StatusCode; {
	case release[code], code >= 400 && code < 500 && res.Header.Get("Retry-After") != "":
		return idem.SettleRelease
	case code >= 500:
		return idem.SettleUnknown
	}
	return idem.SettleComplete
}

// broken answers where the back end did not. Without a byte of the request sent nothing has happened there, and a retry may try again; else nobody knows.
func broken(w http.ResponseWriter, r *http.Request, err error, log *slog.Logger) {
	a := attemptOf(r.Context())
	log.WarnContext(r.Context(), "back end", "method", r.Method, "path", r.URL.Path, "sent", a.sent(), "error", err.Error())
	if !a.sent() {
		a.settle(idem.SettleRelease)
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the back end can't be reached; nothing was done", http.StatusServiceUnavailable)
		return
	}
	a.settle(idem.SettleUnknown)
	http.Error(w, "the back end gave no answer; nobody knows what it did", http.StatusBadGateway)
}

// attempt is one request to the back end.
type attempt struct {
	w      http.ResponseWriter
	conn   *conn // nil until there is one
	before int64 // bytes that others sent on it
}

type attemptKey struct{}

func attemptOf(ctx context.Context) *attempt { return ctx.Value(attemptKey{}).(*attempt) }

// settle tells the gate, where there is one.
func (a *attempt) settle(how idem.Settling) { httpidem.Settle(a.w, how) }

// sent tells whether a byte of the request left, or may have.
func (a *attempt) sent() bool { return a.conn != nil && a.conn.sent.Load() > a.before }
