//go:build linux

package servers_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
)

// natsRequest sends one request to the server, by its own protocol, and returns the
// reply.
func natsRequest(t *testing.T, s *servers.NATSServer, subject, payload string) string {
	t.Helper()
	reply, err := natsTry(s, subject, payload)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func natsTry(s *servers.NATSServer, subject, payload string) (string, error) {
	u, err := url.Parse(s.URL())
	if err != nil {
		return "", err
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(conn, "CONNECT {\"verbose\":false}\r\nSUB inbox 1\r\nPUB %s inbox %d\r\n%s\r\n", subject, len(payload), payload); err != nil {
		return "", err
	}
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(line, "MSG inbox ") {
			return in.ReadString('\n')
		}
	}
}

func TestNATSServesJetStream(t *testing.T) {
	s := timed(t, "nats", func() *servers.NATSServer { return servers.NATS(t) })
	name := servers.Unique(t)
	natsRequest(t, s, "$JS.API.STREAM.CREATE."+name, `{"name":"`+name+`","subjects":["`+name+`"],"storage":"memory"}`)
	if got := natsRequest(t, s, name, "x"); !strings.Contains(got, `"seq":1`) {
		t.Errorf("published: %s", got)
	}
	natsRequest(t, s, "$JS.API.STREAM.DELETE."+name, "")
	if err := s.Kill(); !errors.Is(err, servers.ErrShared) {
		t.Errorf("kill says %v", err)
	}
}

func TestNATSKeepsItsDataOverKillAndRestart(t *testing.T) {
	var pids []int
	t.Run("inner", func(t *testing.T) {
		s := servers.NewNATS(t, servers.Setting("max_payload", "64KB"))
		natsRequest(t, s, "$JS.API.STREAM.CREATE.S", `{"name":"S","subjects":["s"],"storage":"file"}`)
		natsRequest(t, s, "s", "x")
		pids = append(pids, s.PID())
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := natsTry(s, "s", "x"); err == nil {
			t.Fatal("killed, it answers")
		}
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		if got := natsRequest(t, s, "s", "y"); !strings.Contains(got, `"seq":2`) {
			t.Errorf("published after the restart: %s", got)
		}
		pids = append(pids, s.PID())
	})
	assertGone(t, pids)
}
