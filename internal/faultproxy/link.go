package faultproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// lastWords bounds how long a server whose reply is lost may take to carry the
// request out.
const lastWords = 30 * time.Second

// link is one connection of a client, with the one to the upstream behind it.
type link struct {
	proxy  *Proxy
	client *net.TCPConn
	ctx    context.Context // ends when the connection is cut
	cancel context.CancelFunc
	stats  *Stats

	mu       sync.Mutex
	upstream *net.TCPConn
	swallow  bool // replies don't reach the client any more
	last     bool // … and with the first of them, the connection ends
}

// chunk is bytes on their way; the last one, empty, says that the sender has closed.
type chunk struct {
	bytes []byte
	due   time.Time
}

// connect puts the upstream behind the client. It answers false, and closes it, when
// the connection has been cut in the meantime.
func (l *link) connect(upstream *net.TCPConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		upstream.Close()
		return false
	}
	l.upstream = upstream
	return true
}

// cut breaks both connections. What is under way in the proxy is thrown away.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel()
	l.client.Close()
	if l.upstream != nil {
		l.upstream.Close()
	}
}

// run forwards both directions until both have ended, or the connection is cut.
func (l *link) run() {
	var wg sync.WaitGroup
	requests, replies := make(chan chunk, queueLength), make(chan chunk, queueLength)
	wg.Go(func() { l.receive(l.client, requests, true) })
	wg.Go(func() { l.forward(requests, l.upstream, true) })
	wg.Go(func() { l.receive(l.upstream, replies, false) })
	wg.Go(func() { l.forward(replies, l.client, false) })
	wg.Wait()
}

// receive reads one side and queues what it says.
func (l *link) receive(from *net.TCPConn, queue chan<- chunk, toServer bool) {
	defer close(queue)
	for {
		buffer := make([]byte, chunkSize)
		n, err := from.Read(buffer)
		due := time.Now().Add(l.proxy.delay(toServer))
		if n > 0 {
			if toServer {
				l.stats.sent(n)
			} else {
				l.stats.answered(n)
			}
			if !l.enqueue(queue, chunk{buffer[:n], due}) {
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			l.enqueue(queue, chunk{nil, due})
			return
		case err != nil: // reset by one side: the other one shall hear of it
			if l.proxy.pass(l.ctx) {
				l.cut()
			}
			return
		}
	}
}

func (l *link) enqueue(queue chan<- chunk, c chunk) bool {
	select {
	case queue <- c:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// forward hands what was queued to the other side when it is due.
func (l *link) forward(queue <-chan chunk, to *net.TCPConn, toServer bool) {
	var look watcher
	for c := range queue {
		if !l.wait(c.due) || !l.proxy.pass(l.ctx) {
			return
		}
		if len(c.bytes) == 0 {
			l.close(to, toServer)
			continue
		}
		if toServer {
			if fault, hit := look.at(l.proxy.triggers(), c.bytes); hit && !l.befall(fault) {
				return
			}
		} else if l.swallowReply() {
			continue
		}
		if _, err := to.Write(c.bytes); err != nil {
			l.broken(toServer)
		}
	}
}

// wait sleeps until a chunk is due.
func (l *link) wait(due time.Time) bool {
	left := time.Until(due)
	if left <= 0 {
		return l.ctx.Err() == nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// close passes on that one side has closed; the other may still answer.
func (l *link) close(to *net.TCPConn, toServer bool) {
	l.mu.Lock()
	swallow, last := l.swallow, l.last
	l.mu.Unlock()
	if !toServer && swallow {
		if last {
			l.cut() // the server has said its last words
		}
		return // the client of a hanging connection doesn't hear of its end
	}
	if err := to.CloseWrite(); err != nil {
		l.broken(toServer)
	}
}

// broken is called when one side takes no more bytes: the connection is cut, unless it
// is the server of a connection whose replies are lost, of which the client must not
// hear too early.
func (l *link) broken(toServer bool) {
	l.mu.Lock()
	keep := toServer && l.swallow
	l.mu.Unlock()
	if !keep {
		l.cut()
	}
}

// befall prepares a fault. It answers false when the request shall not go on.
func (l *link) befall(fault Fault) bool {
	if fault == LoseRequest {
		l.cut()
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.swallow, l.last = true, fault == LoseReply
	return true
}

// swallowReply tells whether a reply is to be lost. With the first lost one of a
// connection that is to end, the server is told that there are no more requests: when
// it then closes, it has carried out everything, and the client's side is cut.
func (l *link) swallowReply() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.swallow && l.last {
		l.upstream.CloseWrite()
		l.upstream.SetReadDeadline(time.Now().Add(lastWords))
	}
	return l.swallow
}

// watcher looks for the bytes triggers wait for in what a client sends, also where
// they are spread over chunks.
type watcher struct {
	tail []byte
}

// at looks at the next bytes and returns the fault of the trigger they set off.
func (w *watcher) at(rules []*Trigger, next []byte) (fault Fault, hit bool) {
	text := append(w.tail, next...)
	for _, t := range rules {
		if t.look(text, len(w.tail)) {
			fault, hit = t.fault, true
		}
	}
	keep := min(len(text), max(0, longest(rules)-1))
	w.tail = append([]byte(nil), text[len(text)-keep:]...)
	return fault, hit
}
