package faultproxy_test

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
)

func TestLostReplyOfTheNthRequest(t *testing.T) {
	p, server := start(t)
	lost := p.DropReply("COMMIT", 2)
	a := dial(t, p)
	say(t, a, "COMMIT 1")
	say(t, a, "other")
	if lost.Fired() || lost.Seen() != 1 {
		t.Fatalf("fired %v after %d", lost.Fired(), lost.Seen())
	}
	b := dial(t, p)
	io.WriteString(b, "COMMIT 2\n")
	if got, err := io.ReadAll(b); len(got) != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the reply came: %q, %v", got, err)
	}
	if server.lines.Load() != 3 || !lost.Fired() {
		t.Errorf("the server got %d requests, fired %v", server.lines.Load(), lost.Fired())
	}
	<-lost.Done()
	say(t, a, "COMMIT 3")
}

// The client must not see the end before the server has carried everything out, or a
// test could look too early.
func TestLostReplyEndsTheConnectionAfterTheServerIsDone(t *testing.T) {
	p, server := start(t)
	p.DropReply("slow", 1)
	c := dial(t, p)
	io.WriteString(c, "slow one\nsecond\n")
	if got, err := io.ReadAll(c); len(got) != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%q, %v", got, err)
	}
	if n := server.lines.Load(); n != 2 {
		t.Errorf("the server had carried out %d requests", n)
	}
}

func TestRequestsAreRecognisedAcrossWrites(t *testing.T) {
	p, server := start(t)
	lost, longer := p.DropReply("COMMIT", 1), p.On(faultproxy.HangReply, "a much longer text to wait for", 1)
	c := dial(t, p)
	for _, part := range []string{"x COM", "M", "IT", " y\n"} {
		io.WriteString(c, part)
		time.Sleep(10 * time.Millisecond)
	}
	if got, err := io.ReadAll(c); len(got) != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the reply came: %q, %v", got, err)
	}
	if !lost.Fired() || lost.Seen() != 1 || longer.Seen() != 0 || server.lines.Load() != 1 {
		t.Errorf("seen %d and %d, the server got %d", lost.Seen(), longer.Seen(), server.lines.Load())
	}
}

func TestHangingReply(t *testing.T) {
	p, server := start(t)
	p.On(faultproxy.HangReply, "COMMIT", 1)
	c := dial(t, p)
	io.WriteString(c, "COMMIT\n")
	c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the client heard something: %v", err)
	}
	if server.lines.Load() != 1 {
		t.Error("the request did not reach the server")
	}
	say(t, dial(t, p), "COMMIT")
}

func TestLostRequest(t *testing.T) {
	p, server := start(t)
	p.On(faultproxy.LoseRequest, "COMMIT", 1)
	c := dial(t, p)
	say(t, c, "before")
	io.WriteString(c, "COMMIT\n")
	if got, err := io.ReadAll(c); len(got) != 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%q, %v", got, err)
	}
	if n := server.lines.Load(); n != 1 {
		t.Errorf("the server got %d requests", n)
	}
}

func TestTriggersThatNeverFire(t *testing.T) {
	p, _ := start(t)
	empty, zeroth := p.DropReply("", 1), p.DropReply("x", 0)
	c := dial(t, p)
	say(t, c, "x")
	say(t, c, "x")
	if empty.Fired() || zeroth.Fired() || zeroth.Seen() != 2 {
		t.Error(empty.Fired(), zeroth.Fired(), zeroth.Seen())
	}
}
