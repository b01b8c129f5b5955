package faultproxy_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
)

// echo is a server that sends back lines, a whole one at a time. It parts the reply of
// a line that says so.
type echo struct {
	addr  string
	bytes atomic.Int64
	lines atomic.Int64
}

// start starts an echo server with a proxy in front; both end with the test.
func start(t *testing.T) (*faultproxy.Proxy, *echo) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{addr: l.Addr().String()}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { e.serve(c) })
		}
	})
	p, err := faultproxy.New(e.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		l.Close()
		wg.Wait() // which also shows that the proxy has let go of the server
	})
	return p, e
}

func (e *echo) serve(c net.Conn) {
	defer c.Close()
	for r := bufio.NewReader(c); ; {
		line, err := r.ReadString('\n')
		e.bytes.Add(int64(len(line)))
		if err == nil {
			e.lines.Add(1)
		}
		if strings.HasPrefix(line, "slow") {
			io.WriteString(c, line[:2])
			time.Sleep(50 * time.Millisecond)
			line = line[2:]
		}
		io.WriteString(c, line)
		if err != nil {
			return
		}
	}
}

// dial connects to the proxy; the connection ends with the test and waits for nothing
// longer than ten seconds.
func dial(t *testing.T, p *faultproxy.Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second))
	return c
}

// say sends a line and wants it back.
func say(t *testing.T, c net.Conn, line string) {
	t.Helper()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		t.Error(err)
		return
	}
	if got, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.HasSuffix(got, line+"\n") {
		t.Errorf("%q came back, %v", got, err)
	}
}
