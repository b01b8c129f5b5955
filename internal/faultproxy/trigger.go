package faultproxy

import (
	"bytes"
	"sync"
)

// Fault is what happens to a request that a Trigger waits for.
type Fault int

const (
	// LoseReply lets the request reach the server and loses the reply: the client's
	// connection breaks after the server has carried out all it was sent, however it
	// answered. Replies of requests before it on the same connection that were still
	// under way are lost with it.
	LoseReply Fault = iota
	// HangReply lets the request reach the server and swallows everything the server
	// says on the connection from then on. The client waits until it gives up.
	HangReply
	// LoseRequest cuts the connection before the request reaches the server.
	LoseRequest
)

// Trigger waits for the nth request that contains certain bytes and does something to
// it, once.
type Trigger struct {
	fault Fault
	match []byte

	mu    sync.Mutex
	left  int
	seen  int
	fired chan struct{}
}

// DropReply loses the reply of the nth request from now on, counted from 1 over all
// connections, whose bytes contain match. The client sees its connection break.
func (p *Proxy) DropReply(match string, nth int) *Trigger {
	return p.On(LoseReply, match, nth)
}

// On has a fault happen to the nth request from now on, counted from 1 over all
// connections, whose bytes contain match. Each occurrence of match counts, also when
// the client's writes or the network part it. An empty match, or an nth below 1, never
// happens.
func (p *Proxy) On(fault Fault, match string, nth int) *Trigger {
	t := &Trigger{fault: fault, match: []byte(match), left: nth, fired: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, t)
	return t
}

// Done is closed when the fault has been set off; what it does may still be under way.
func (t *Trigger) Done() <-chan struct{} { return t.fired }

// Fired tells whether the fault has been set off.
func (t *Trigger) Fired() bool {
	select {
	case <-t.fired:
		return true
	default:
		return false
	}
}

// Seen is how many occurrences of the bytes have gone by since the trigger was set.
func (t *Trigger) Seen() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen
}

// look counts the occurrences in a chunk that end after the first old bytes, which
// were looked at before, and tells whether the awaited one is among them.
func (t *Trigger) look(text []byte, old int) bool {
	if len(t.match) == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	hit := false
	for from := max(0, old-len(t.match)+1); ; {
		i := bytes.Index(text[from:], t.match)
		if i < 0 {
			return hit
		}
		from += i + len(t.match)
		t.seen++
		if t.left--; t.left == 0 {
			hit = true
			close(t.fired)
		}
	}
}

// longest is the length of the longest bytes waited for.
func longest(rules []*Trigger) int {
	n := 0
	for _, t := range rules {
		n = max(n, len(t.match))
	}
	return n
}
