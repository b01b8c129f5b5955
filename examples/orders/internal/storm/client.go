package storm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/api"
	"github.com/idemgen/idemgen/examples/orders/internal/crash"
	"github.com/idemgen/idemgen/runtime/idem"
)

// answer is what a call came back with.
type answer uint8

// Answers. Every call has exactly one.
const (
	executed    answer = iota // the method ran and its result came back
	replayed                  // the result of an earlier call came back
	inProgress                // another call for the key is running
	refused                   // the call is not legal: another payload, a state without such an edge, the business said no
	unknown                   // an earlier owner vanished; nobody knows what became of it
	unavailable               // the service could not serve the call now
	lost                      // no reply: the process died, or its connection did
	answers                   // how many there are
)

// String returns the answer's name.
func (a answer) String() string {
	return [...]string{"executed", "replayed", "in progress", "refused", "unknown", "unavailable", "lost"}[a]
}

// response is one answer with what came along.
type response struct {
	answer answer
	status int
	body   string // of a success: the result as sent
	code   string // of a problem
	detail string
}

// callLimit bounds one call. A server that stands at a crash point is killed long before.
const callLimit = 30 * time.Second

// client sends calls to servers. Safe for concurrent use.
type client struct {
	http *http.Client
}

func newClient(concurrency int) *client {
	return &client{http: &http.Client{
		Timeout:   callLimit,
		Transport: &http.Transport{MaxIdleConnsPerHost: concurrency, MaxIdleConns: 0},
	}}
}

// send makes one call. Its error tells of a broken storm, not of a broken service.
func (c *client) send(ctx context.Context, base string, k call) (response, error) {
	body, err := json.Marshal(k.body)
	if err != nil {
		return response{}, fmt.Errorf("storm: encode %s: %w", k.act.name, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+k.path, bytes.NewReader(body))
	if err != nil {
		return response{}, fmt.Errorf("storm: call %s: %w", k.act.name, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if k.dies != "" {
		req.Header.Set(crash.Header, string(k.dies))
	}
	res, err := c.http.Do(req)
	if err != nil {
		return c.noReply(ctx, err)
	}
	defer func() { _ = res.Body.Close() }() // read to its end below
	data, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return c.noReply(ctx, err)
	}
	return understand(res, data), nil
}

// noReply tells a dead server from an ended storm.
func (*client) noReply(ctx context.Context, err error) (response, error) {
	if ctx.Err() != nil {
		return response{}, context.Cause(ctx)
	}
	return response{answer: lost, detail: err.Error()}, nil
}

// understand classes a reply by its status, its replay marker and its problem code.
func understand(res *http.Response, data []byte) response {
	r := response{status: res.StatusCode, body: string(data)}
	if res.StatusCode < 300 {
		if res.Header.Get(api.ReplayedHeader) == "true" {
			r.answer = replayed
		}
		return r
	}
	var p api.Problem
	if err := json.Unmarshal(data, &p); err != nil {
		p.Detail = r.body
	}
	r.code, r.detail = p.Code, p.Detail
	switch {
	case p.Code == idem.StatusOf(idem.ErrInProgress).Code:
		r.answer = inProgress
	case p.Code == idem.StatusOf(idem.ErrOutcomeUnknown).Code:
		r.answer = unknown
	case res.StatusCode >= 500 || p.Retry:
		r.answer = unavailable
	default:
		r.answer = refused
	}
	return r
}
