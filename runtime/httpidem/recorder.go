package httpidem

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
)

// errReturned is what a write gets that comes after the handler has returned.
var errReturned = errors.New("idem: write after the handler returned")

// recorder keeps a response back until it is stored. When the handler flushes,
// hijacks or writes more than the limit, it sends what it has and passes on the
// rest. A client that goes meanwhile is the handler's business only where nothing is
// recorded any more: what it began is finished for the retry (H2).
//
// The methods of the handler are safe for concurrent use, and do nothing after it
// has returned: a goroutine left behind changes neither response nor record.
type recorder struct {
	w     http.ResponseWriter
	key   idem.Key
	limit int64

	mu       sync.Mutex
	header   http.Header // the handler's
	front    http.Header // what stood there before it, set in front of the gate; nil for nothing
	before   http.Header // of w, kept when an informational response changes it
	status   int         // 0 until it is known
	sent     http.Header // as it was when the status was written
	declared int64       // Content-Length that the handler set; -1 = none
	written  int64       // bytes that the handler wanted to write
	body     bytes.Buffer
	passing  bool  // the status is sent, the rest is passed on
	over     bool  // more than the limit: body is not the whole, and dropped
	gone     error // the client can't be written to any more
	hijacked bool
	returned bool
	said     idem.Settling // by Settle; 0 = nothing
}

func newRecorder(w http.ResponseWriter, key idem.Key, limit int64) *recorder {
	c := &recorder{w: w, key: key, limit: limit, header: cloneHeader(w.Header()), declared: -1}
	if len(c.header) > 0 {
		c.front = c.header.Clone()
	}
	return c
}

func cloneHeader(h http.Header) http.Header {
	if h = h.Clone(); h == nil {
		h = http.Header{}
	}
	return h
}

// Header is the handler's header; when it has returned, nobody's.
func (c *recorder) Header() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.returned {
		return http.Header{}
	}
	return c.header
}

// WriteHeader takes the status. Informational ones go out at once. One that is no
// status panics in the handler, as a server does, and before anything is stored.
func (c *recorder) WriteHeader(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeHeader(status)
}

func (c *recorder) writeHeader(status int) {
	switch {
	case status < 100 || status > 999:
		panic(fmt.Sprintf("idem: the handler wrote status %d", status))
	case c.status != 0 || c.hijacked || c.returned:
	case status < 200 && status != http.StatusSwitchingProtocols:
		if c.before == nil {
			c.before = cloneHeader(c.w.Header())
		}
		c.copyHeader(c.header)
		c.w.WriteHeader(status)
	default:
		c.status = status
		c.sent = c.header.Clone()
		c.declare()
	}
}

// declare reads the length that the handler promised; what is none counts for
// nothing, as with a server.
func (c *recorder) declare() {
	text := c.sent.Get("Content-Length")
	if text == "" {
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		c.sent.Del("Content-Length")
		return
	}
	c.declared = n
}

// Write takes a piece of the body.
func (c *recorder) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.returned:
		return 0, errReturned
	case c.hijacked:
		return 0, http.ErrHijacked
	case c.status == 0:
		c.writeHeader(http.StatusOK)
	}
	if !bodyAllowed(c.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if c.written += int64(len(p)); c.declared >= 0 && c.written > c.declared {
		return 0, http.ErrContentLength
	}
	if !c.over && int64(c.body.Len()+len(p)) <= c.limit {
		c.body.Write(p)
		if c.passing {
			c.out(p)
		}
		return len(p), nil
	}
	if !c.passing {
		c.pass(p)
	}
	c.over, c.body = true, bytes.Buffer{}
	if n := c.out(p); c.gone != nil {
		return n, c.gone
	}
	return len(p), nil
}

// WriteString is Write of a string.
func (c *recorder) WriteString(s string) (int, error) { return c.Write([]byte(s)) }

// out writes to the client, until it is gone.
func (c *recorder) out(p []byte) (n int) {
	if c.gone == nil && len(p) > 0 {
		n, c.gone = c.w.Write(p)
	}
	return n
}

// pass sends what was kept back; from here on all is passed on. next is what the
// handler writes now, if anything.
func (c *recorder) pass(next []byte) {
	c.passing = true
	c.sniff(next, true)
	c.copyHeader(c.sent)
	c.w.WriteHeader(c.status)
	c.out(c.body.Bytes())
}

// FlushError sends what there is (http.ResponseController).
func (c *recorder) FlushError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.returned:
		return errReturned
	case c.hijacked:
		return http.ErrHijacked
	case c.status == 0:
		c.writeHeader(http.StatusOK)
	}
	if !c.passing {
		c.pass(nil)
	}
	if c.gone == nil {
		err := http.NewResponseController(c.w).Flush()
		if errors.Is(err, http.ErrNotSupported) {
			return err
		}
		c.gone = err
	}
	if c.over {
		return c.gone
	}
	return nil
}

// Flush sends what there is (http.Flusher).
func (c *recorder) Flush() { _ = c.FlushError() }

// Hijack hands the connection over; the response can't be replayed then. What the
// handler wrote before goes out before.
func (c *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.returned {
		return nil, nil, errReturned
	}
	if c.status != 0 && !c.passing && !c.hijacked {
		c.pass(nil)
	}
	conn, rw, err := http.NewResponseController(c.w).Hijack()
	if err == nil {
		c.hijacked = true
		if c.status == 0 {
			c.status = http.StatusSwitchingProtocols
		}
	}
	return conn, rw, err
}

// Unwrap is for the deadlines of http.ResponseController.
func (c *recorder) Unwrap() http.ResponseWriter { return c.w }

// finish is what a server does when a handler returns.
func (c *recorder) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status == 0 && !c.hijacked {
		c.writeHeader(http.StatusOK)
	}
	if !c.passing && !c.hijacked {
		c.sniff(nil, false)
	}
	c.returned = true
}
