package httpidem

import (
	"bufio"
	"bytes"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// recorder keeps a response back until it is stored. When the handler flushes,
// hijacks or writes more than the limit, it sends what it has and passes on the
// rest. It is used by one handler, which may write from one goroutine at a time.
type recorder struct {
	w      http.ResponseWriter
	header http.Header // the handler's
	limit  int64

	status   int         // 0 until it is known
	sent     http.Header // as it was when the status was written
	body     bytes.Buffer
	passing  bool // the status is sent, the rest is passed on
	over     bool // more than the limit: body is not the whole
	hijacked bool
}

func newRecorder(w http.ResponseWriter, limit int64) *recorder {
	return &recorder{w: w, header: w.Header().Clone(), limit: limit}
}

// Header is the handler's header.
func (c *recorder) Header() http.Header {
	if c.header == nil {
		c.header = http.Header{}
	}
	return c.header
}

// WriteHeader takes the status. Informational ones go out at once.
func (c *recorder) WriteHeader(status int) {
	switch {
	case c.status != 0 || c.hijacked:
	case status >= 100 && status < 200 && status != http.StatusSwitchingProtocols:
		c.copyHeader(c.Header())
		c.w.WriteHeader(status)
	default:
		c.status = status
		c.sent = c.Header().Clone()
	}
}

// Write takes a piece of the body.
func (c *recorder) Write(p []byte) (int, error) {
	if c.hijacked {
		return 0, http.ErrHijacked
	}
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if !bodyAllowed(c.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if !c.over && int64(c.body.Len()+len(p)) <= c.limit {
		c.body.Write(p)
		if c.passing {
			return c.w.Write(p)
		}
		return len(p), nil
	}
	if !c.passing {
		c.pass()
	}
	c.over = true
	return c.w.Write(p)
}

// WriteString is Write of a string.
func (c *recorder) WriteString(s string) (int, error) { return c.Write([]byte(s)) }

// pass sends what was kept back; from here on all is passed on.
func (c *recorder) pass() {
	c.passing = true
	c.copyHeader(c.sent)
	c.w.WriteHeader(c.status)
	if c.body.Len() > 0 {
		c.w.Write(c.body.Bytes()) // what fails here fails again with the next write
	}
}

// copyHeader makes the real header that of the handler.
func (c *recorder) copyHeader(from http.Header) {
	h := c.w.Header()
	clear(h)
	maps.Copy(h, from)
}

// FlushError sends what there is (http.ResponseController).
func (c *recorder) FlushError() error {
	if c.hijacked {
		return http.ErrHijacked
	}
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if !c.passing {
		c.pass()
	}
	return http.NewResponseController(c.w).Flush()
}

// Flush sends what there is (http.Flusher).
func (c *recorder) Flush() { _ = c.FlushError() }

// Hijack hands the connection over; the response can't be replayed then.
func (c *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
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
	if c.status == 0 && !c.hijacked {
		c.WriteHeader(http.StatusOK)
	}
}

// unkept says why the response can't be replayed as it was; "" when it can.
func (c *recorder) unkept() string {
	switch {
	case c.hijacked:
		return "the connection was hijacked"
	case c.over:
		return "more than " + strconv.FormatInt(c.limit, 10) + " bytes"
	case c.trailers():
		return "it has trailers"
	}
	return ""
}

// trailers tells whether the handler announced or set any.
func (c *recorder) trailers() bool {
	if len(c.sent["Trailer"]) > 0 {
		return true
	}
	for name := range c.header {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			return true
		}
	}
	return false
}

// send sends what is still kept back, and the trailers.
func (c *recorder) send() {
	if c.hijacked {
		return
	}
	if !c.passing {
		c.passing = true
		c.copyHeader(c.sent)
		if !c.trailers() {
			send(c.w, c.status, c.body.Bytes())
			return
		}
		c.w.WriteHeader(c.status)
		c.w.Write(c.body.Bytes())
	}
	if c.trailers() {
		h := c.w.Header()
		for name, values := range c.header {
			if _, was := c.sent[name]; !was {
				h[name] = values
			}
		}
	}
}

// discard drops what was kept back; false when the response has begun.
func (c *recorder) discard() bool { return !c.passing && !c.hijacked }

// abandon keeps nothing for a handler that panicked: the server closes the
// connection, and the client sees that something is missing.
func (c *recorder) abandon() { c.body.Reset() }

// send writes a whole response, with its length.
func send(w http.ResponseWriter, status int, body []byte) {
	if h := w.Header(); bodyAllowed(status) && h["Content-Length"] == nil && h["Transfer-Encoding"] == nil {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if len(body) > 0 {
		w.Write(body) // a client that has gone asks again
	}
}

// bodyAllowed tells whether a response with the status may have a body.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified || status == http.StatusSwitchingProtocols
}
