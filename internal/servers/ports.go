package servers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

const (
	defaultEphemeral = 32768
	lowestPort       = 10240
	// busDistance lies between the port of a Redis Cluster node and that of its bus.
	busDistance = 10000
	portTries   = 2000
)

var errNoPort = errors.New("no free port below the ephemeral range")

// port is a loopback port set aside for one server: nothing listened on it, and no
// other test process that uses this package takes it while it is held.
type port struct {
	number int
	locks  []*os.File
}

// addr is where the server listens.
func (p *port) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) }

// free gives the port back.
func (p *port) free() {
	for _, lock := range p.locks {
		lock.Close()
	}
	p.locks = nil
}

// newPort sets a port aside; with bus, the one busDistance above as well.
// Outgoing connections never get a port below the ephemeral range, so that a server
// that was killed finds its port free when it is restarted.
func newPort(bus bool) (*port, error) {
	high := firstEphemeral()
	if high <= lowestPort {
		high = defaultEphemeral
	}
	if bus && high-busDistance > lowestPort {
		high -= busDistance
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("idemgen-ports-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for range portTries {
		p := &port{number: lowestPort + rand.IntN(high-lowestPort)}
		if p.take(dir, p.number) && (!bus || p.take(dir, p.number+busDistance)) {
			return p, nil
		}
		p.free()
	}
	return nil, errNoPort
}

// take sets one number aside, if nothing uses it.
func (p *port) take(dir string, number int) bool {
	lock, err := lockFile(filepath.Join(dir, strconv.Itoa(number)), os.O_CREATE)
	if err != nil {
		return false
	}
	p.locks = append(p.locks, lock)
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(number)))
	if err != nil {
		return false
	}
	l.Close()
	return true
}
