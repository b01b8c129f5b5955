package faultproxy_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
)

func TestBytesGoThroughBothWaysAndEndsAreHeard(t *testing.T) {
	p, _ := start(t)
	c := dial(t, p)
	text := strings.Repeat("0123456789", 100_000)
	go func() {
		io.WriteString(c, text)
		c.(*net.TCPConn).CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if err != nil || string(got) != text {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
}

func TestDelayHoldsEachDirectionBack(t *testing.T) {
	p, _ := start(t)
	c := dial(t, p)
	took := func() time.Duration {
		began := time.Now()
		say(t, c, "x")
		return time.Since(began)
	}
	say(t, c, "warm")
	for _, d := range []struct{ toServer, toClient time.Duration }{
		{100 * time.Millisecond, 0}, {0, 100 * time.Millisecond}, {50 * time.Millisecond, 50 * time.Millisecond},
	} {
		p.SetDelay(d.toServer, d.toClient)
		if got := took(); got < 100*time.Millisecond {
			t.Errorf("%v: a round trip took %v", d, got)
		}
	}
	// A long delay must not hold up the end.
	p.SetDelay(time.Hour, time.Hour)
	io.WriteString(c, "y\n")
	p.Close()
}

func TestCutBreaksOpenConnectionsOnly(t *testing.T) {
	p, _ := start(t)
	a, b := dial(t, p), dial(t, p)
	say(t, a, "x")
	say(t, b, "x")
	if n := p.Cut(); n != 2 {
		t.Errorf("%d connections cut", n)
	}
	for _, c := range []net.Conn{a, b} {
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a cut connection: %v", err)
		}
	}
	say(t, dial(t, p), "x")
}

func TestRefusedConnectionsEndAtOnce(t *testing.T) {
	p, _ := start(t)
	open := dial(t, p)
	say(t, open, "x")
	p.SetRefuse(true)
	if _, err := dial(t, p).Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("refused: %v", err)
	}
	say(t, open, "x")
	p.SetRefuse(false)
	say(t, dial(t, p), "x")
}

func TestUpstreamThatIsDownCutsTheClient(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	p, err := faultproxy.New(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := dial(t, p).Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("no upstream: %v", err)
	}
}

func TestBlackholeHoldsEverythingUntilItEnds(t *testing.T) {
	p, server := start(t)
	c := dial(t, p)
	say(t, c, "x")
	seen := server.bytes.Load()
	p.SetBlackhole(true)
	p.SetBlackhole(true)
	io.WriteString(c, "held\n")
	late := dial(t, p)
	io.WriteString(late, "late\n")
	for _, conn := range []net.Conn{c, late} {
		conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("something came through: %v", err)
		}
	}
	if server.bytes.Load() != seen {
		t.Error("something reached the server")
	}
	p.SetBlackhole(false)
	for conn, want := range map[net.Conn]string{c: "held\n", late: "late\n"} {
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if got, err := bufio.NewReader(conn).ReadString('\n'); got != want {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestCutAndCloseWorkInABlackhole(t *testing.T) {
	p, _ := start(t)
	c := dial(t, p)
	say(t, c, "x")
	p.SetBlackhole(true)
	io.WriteString(c, "held\n")
	dial(t, p)
	p.Cut()
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("not cut: %v", err)
	}
	dial(t, p)
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Error(err)
	}
}

func TestRoundTripsAreCountedPerConnectionAndInTotal(t *testing.T) {
	p, _ := start(t)
	a, b := dial(t, p), dial(t, p)
	for range 3 {
		say(t, a, "x")
	}
	io.WriteString(b, "one") // parted, yet one request
	time.Sleep(20 * time.Millisecond)
	say(t, b, " line")
	say(t, b, "slow") // its reply comes in two parts
	want := faultproxy.Counts{Connections: 2, RoundTrips: 5, BytesToServer: 6 + 9 + 5, BytesToClient: 6 + 9 + 5}
	if got := p.Total(); got != want {
		t.Errorf("total %+v, want %+v", got, want)
	}
	each := p.Connections()
	if len(each) != 2 || each[0].RoundTrips+each[1].RoundTrips != 5 || each[0].RoundTrips*each[1].RoundTrips != 6 {
		t.Errorf("each %+v", each)
	}
	p.Reset()
	say(t, a, "x")
	if got := p.Total(); got.RoundTrips != 1 || got.Connections != 2 {
		t.Errorf("after reset %+v", got)
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	p, _ := start(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			c := dial(t, p)
			defer c.Close()
			for range 50 {
				say(t, c, "hello")
			}
		})
	}
	wg.Go(func() {
		for range 50 {
			p.SetDelay(time.Microsecond, 0)
			p.On(faultproxy.LoseReply, "absent", 1)
			p.Total()
			p.SetBlackhole(true)
			p.SetBlackhole(false)
		}
	})
	wg.Wait()
	if got := p.Total(); got.RoundTrips != 16*50 || got.Connections != 16 {
		t.Errorf("%+v", got)
	}
}
