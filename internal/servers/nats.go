package servers

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// NATSServer is a running NATS server with JetStream.
type NATSServer struct {
	Server
	url string
}

// natsDefaultPort is where a server listens when its URL says nothing.
const natsDefaultPort = "4222"

// natsAnswer bounds one exchange with the server.
const natsAnswer = 2 * time.Second

// NATS returns the NATS server the tests of this process share: the one EnvNATS names,
// or one that is started on first use. Tests keep apart by streams and subjects with
// names from Unique, and delete the streams they made.
func NATS(t testing.TB) *NATSServer {
	t.Helper()
	return get(t, func(r *registry) *lazy[*NATSServer] { return &r.nats })
}

// NewNATS starts a NATS server for one test, which may kill it, and ends it with the
// test. Streams kept in files are there after Kill and Restart. Settings stand in its
// configuration as they are: Setting("max_payload", "64KB").
func NewNATS(t testing.TB, opts ...Option) *NATSServer {
	t.Helper()
	private(t, EnvNATS)
	s, err := startNATS(opts)
	if err != nil {
		refuse(t, err)
	}
	keepFor(t, s.close)
	return s
}

// URL is the address as clients take it: nats://host:port.
func (s *NATSServer) URL() string { return s.url }

func sharedNATS() (*NATSServer, error) {
	if text, ok := external(EnvNATS); ok {
		s, err := parseNATS(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", EnvNATS, err)
		}
		return s, nil
	}
	s, err := startNATS(nil)
	if err == nil {
		s.fixed = ErrShared
	}
	return s, err
}

func startNATS(opts []Option) (*NATSServer, error) {
	c := newConfig(opts)
	if c.timeZone != "" || c.isolation != "" {
		return nil, errors.New("NATS has neither time zone nor isolation level")
	}
	binary, err := find("nats-server", "nats-server")
	if err != nil {
		return nil, err
	}
	h, err := newHome("nats", "nobody")
	if err != nil {
		return nil, err
	}
	s, err := prepareNATS(h, binary, c)
	if err == nil {
		err = s.process.start()
	}
	if err != nil {
		return nil, errors.Join(err, s.close(), h.remove())
	}
	s.release = append(s.release, h.remove)
	return s, nil
}

// prepareNATS sets aside a port and writes the configuration. What it returns is to
// be closed also when there is an error.
func prepareNATS(h *home, binary string, c *config) (*NATSServer, error) {
	s := new(NATSServer)
	p, err := newPort(false)
	if err != nil {
		return s, err
	}
	s.release = append(s.release, func() error { p.free(); return nil })
	dir, err := h.sub("jetstream", h.user)
	if err != nil {
		return s, err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "listen: %q\njetstream { store_dir: %q }\n", p.addr(), dir)
	for _, set := range c.settings {
		fmt.Fprintf(&text, "%s: %s\n", set.name, set.value)
	}
	file, err := h.write("nats.conf", text.String(), h.user)
	if err != nil {
		return s, err
	}
	s.url = "nats://" + p.addr()
	s.process = &process{
		name: "nats", path: binary, dir: h.path, user: h.user, log: filepath.Join(h.path, "nats.log"),
		term: sigTerminate, death: sigKill, args: []string{"--config", file},
		ready: func() error { return natsReady(p.addr()) },
	}
	return s, nil
}

// natsReady asks the server whether it serves JetStream: the first line it sends says
// so, and it answers a ping.
func natsReady(addr string) error {
	conn, err := net.DialTimeout("tcp", addr, natsAnswer)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(natsAnswer)); err != nil {
		return err
	}
	in := bufio.NewReader(conn)
	info, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(info, "INFO ") || !strings.Contains(info, `"jetstream":true`) {
		return fmt.Errorf("no JetStream: it says %q", info)
	}
	if _, err := conn.Write([]byte("CONNECT {\"verbose\":false}\r\nPING\r\n")); err != nil {
		return err
	}
	pong, err := in.ReadString('\n')
	if err == nil && strings.TrimSpace(pong) != "PONG" {
		return fmt.Errorf("a ping is answered by %q", pong)
	}
	return err
}

// parseNATS reads the URL of a server that runs already.
func parseNATS(text string) (*NATSServer, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "nats" || u.Host == "" {
		return nil, errors.New("want nats://user:password@host:port")
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), natsDefaultPort)
	}
	return &NATSServer{Server: Server{fixed: ErrExternal}, url: u.String()}, nil
}
