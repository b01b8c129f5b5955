package httpidem

import (
	"bytes"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What becomes of a recorded response when its handler has returned.

// sniffed is how much of a body tells its type, in bytes.
const sniffed = 512

// sniff finds out the type of a body that came without one, as a server would: of
// what is there when the status goes out. A replay, which has all of it, must not
// find out something else (H1), so the answer is written down; that there was none
// too, when begun.
func (c *recorder) sniff(next []byte, begun bool) {
	if _, is := c.sent["Content-Type"]; is || !bodyAllowed(c.status) || c.sent.Get("Content-Encoding") != "" || c.sent.Get("Transfer-Encoding") != "" {
		return
	}
	head := c.body.Bytes()
	if len(head) < sniffed && len(next) > 0 {
		head = append(bytes.Clone(head), next[:min(len(next), sniffed)]...)
	}
	switch {
	case len(head) > 0:
		c.sent.Set("Content-Type", http.DetectContentType(head))
	case begun:
		c.sent["Content-Type"] = nil
	}
}

// unkept says why the response can't be replayed as it was, and what is kept instead
// (C9); "" when it can.
func (c *recorder) unkept() (string, idem.Outcome) {
	oversize := idem.Outcome{Kind: idem.Oversize}
	switch {
	case c.hijacked:
		return "the connection was hijacked", oversize
	case c.over:
		return "more than " + strconv.FormatInt(c.limit, 10) + " bytes", oversize
	case c.trailers():
		return "it has trailers", oversize
	case c.declared >= 0 && bodyAllowed(c.status) && int64(c.body.Len()) != c.declared:
		return strconv.Itoa(c.body.Len()) + " bytes, where its Content-Length says " + strconv.FormatInt(c.declared, 10),
			idem.Outcome{Kind: idem.Succeeded, Codec: brokenName}
	}
	return "", idem.Outcome{}
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
		c.out(c.body.Bytes())
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

// copyHeader makes the real header that of the handler.
func (c *recorder) copyHeader(from http.Header) {
	h := c.w.Header()
	clear(h)
	maps.Copy(h, from)
}

// discard drops what was kept back; false when the response has begun.
func (c *recorder) discard() bool {
	if c.passing || c.hijacked {
		return false
	}
	c.restore()
	return true
}

// restore takes back what informational responses left in the real header.
func (c *recorder) restore() {
	if c.before != nil {
		c.copyHeader(c.before)
	}
}

// abandon keeps nothing for a handler that panicked: whoever recovers may answer,
// else the server closes the connection, and the client sees that something is
// missing.
func (c *recorder) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned, c.body = true, bytes.Buffer{}
	if !c.passing && !c.hijacked {
		c.restore()
	}
}

// send writes a whole response, with its length.
func send(w http.ResponseWriter, status int, body []byte) {
	if h := w.Header(); lacksLength(h, status) {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if len(body) > 0 {
		w.Write(body) // a client that has gone asks again
	}
}

// lacksLength tells whether a whole response is to be given its length.
func lacksLength(h http.Header, status int) bool {
	return bodyAllowed(status) && h["Content-Length"] == nil && h["Transfer-Encoding"] == nil
}

// bodyAllowed tells whether a response with the status may have a body.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}
