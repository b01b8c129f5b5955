package faultproxy

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	dialWithin = 5 * time.Second
	// chunkSize is what is read at once, in bytes; queueLength is how many chunks may
	// be under way in one direction before its sender has to wait.
	chunkSize   = 32 << 10
	queueLength = 256
)

// Proxy forwards connections to one upstream. All methods may be called concurrently,
// also while connections are busy.
type Proxy struct {
	upstream string
	listener net.Listener
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu       sync.Mutex
	toServer time.Duration
	toClient time.Duration
	refuse   bool
	flowing  chan struct{} // closed while bytes may flow
	rules    []*Trigger
	links    map[*link]struct{}
	stats    []*Stats // of every connection since the start or Reset
}

// New starts a proxy on a free loopback port in front of an upstream, host:port. The
// upstream need not be up: a client whose upstream doesn't answer is cut.
func New(upstream string) (*Proxy, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	flowing := make(chan struct{})
	close(flowing)
	p := &Proxy{
		upstream: upstream, listener: l, ctx: ctx, cancel: cancel,
		flowing: flowing, links: make(map[*link]struct{}),
	}
	p.wg.Go(p.accept)
	return p, nil
}

// Addr is host:port of the proxy.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close stops listening, cuts all connections and returns when nothing of the proxy
// runs any more. Closing twice is no error.
func (p *Proxy) Close() error {
	p.cancel()
	err := p.listener.Close()
	p.Cut()
	p.wg.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// SetDelay holds back what is sent from now on, by so much in each direction. It
// delays and does not slow down: bytes sent together arrive together.
func (p *Proxy) SetDelay(toServer, toClient time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.toServer, p.toClient = toServer, toClient
}

// SetRefuse has new connections closed at once, as by a server that is down.
// Connections that are open stay.
func (p *Proxy) SetRefuse(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = on
}

// SetBlackhole makes the network go silent: connections are made, writes succeed, and
// nothing arrives, in either direction, nor does the news of an end. Switched off,
// what was held arrives, as it does after a partition.
func (p *Proxy) SetBlackhole(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.flowing:
		if on {
			p.flowing = make(chan struct{})
		}
	default:
		if !on {
			close(p.flowing)
		}
	}
}

// Cut breaks all connections at once, whatever is under way, and returns how many.
func (p *Proxy) Cut() int {
	p.mu.Lock()
	var links []*link
	for l := range p.links {
		links = append(links, l)
	}
	p.mu.Unlock()
	for _, l := range links {
		l.cut()
	}
	return len(links)
}

// accept serves clients until the listener is closed.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			if p.ctx.Err() != nil {
				return
			}
			select { // out of descriptors, or a client that left at once
			case <-time.After(time.Millisecond):
				continue
			case <-p.ctx.Done():
				return
			}
		}
		p.mu.Lock()
		refuse := p.refuse
		p.mu.Unlock()
		if refuse {
			client.Close()
			continue
		}
		p.wg.Go(func() { p.serve(client.(*net.TCPConn)) })
	}
}

// serve connects a client to the upstream and runs the connection to its end.
func (p *Proxy) serve(client *net.TCPConn) {
	ctx, cancel := context.WithCancel(p.ctx)
	l := &link{proxy: p, client: client, ctx: ctx, cancel: cancel, stats: new(Stats)}
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.stats = append(p.stats, l.stats)
	p.mu.Unlock()
	defer func() {
		l.cut()
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	if !p.pass(ctx) {
		return
	}
	dialer := net.Dialer{Timeout: dialWithin}
	upstream, err := dialer.DialContext(ctx, "tcp", p.upstream)
	if err != nil {
		return
	}
	if l.connect(upstream.(*net.TCPConn)) {
		l.run()
	}
}

// pass waits while the network is silent. It answers false when the connection has
// ended.
func (p *Proxy) pass(ctx context.Context) bool {
	for {
		p.mu.Lock()
		flowing := p.flowing
		p.mu.Unlock()
		select {
		case <-flowing:
			p.mu.Lock()
			same := p.flowing == flowing
			p.mu.Unlock()
			if same {
				return ctx.Err() == nil
			}
		case <-ctx.Done():
			return false
		}
	}
}

// delay is what a direction is held back by now.
func (p *Proxy) delay(toServer bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if toServer {
		return p.toServer
	}
	return p.toClient
}

// triggers are the rules at the moment.
func (p *Proxy) triggers() []*Trigger {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.rules)
}
