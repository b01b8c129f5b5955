package storm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
)

// reapWait bounds how long a killed process may take to be gone.
const reapWait = 10 * time.Second

// seat is a place where a process serves: its listener stays open while processes come and go, so that callers meet a slow server and not a closed port.
type seat struct {
	url      string
	listener *os.File // handed down to each process as descriptor 3
}

func newSeat() (*seat, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("storm: listen: %w", err)
	}
	defer func() { _ = ln.Close() }() // the duplicate below stays
	tcp, ok := ln.(*net.TCPListener)
	if !ok {
		return nil, errors.New("storm: listen: not TCP")
	}
	f, err := tcp.File()
	if err != nil {
		return nil, fmt.Errorf("storm: listen: %w", err)
	}
	return &seat{url: "http://" + ln.Addr().String(), listener: f}, nil
}

// process is one running child. It ends by itself when its standard input closes, which happens when this process ends, however that comes about.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	points chan crash.Point // crash points that armed calls reached; closed when the process is gone
	gone   chan struct{}    // closed when it was reaped
	err    error            // how it ended; read after gone
}

// start runs the program in a seat.
func start(cfg Config, s *seat, args ...string) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("storm: start: %w", err)
	}
	defer func() { _ = w.Close() }() // the child has its own
	p := &process{
		cmd:    exec.Command(cfg.Binary, append(args, "-inherit")...),
		points: make(chan crash.Point, 16),
		gone:   make(chan struct{}),
	}
	p.cmd.Stderr = cfg.Stderr
	p.cmd.ExtraFiles = []*os.File{s.listener, w}
	p.cmd.WaitDelay = reapWait
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("storm: start: %w", err), r.Close())
	}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("storm: start: %w", err), r.Close())
	}
	go p.listen(r)
	go func() {
		p.err = p.cmd.Wait()
		close(p.gone)
	}()
	return p, nil
}

// listen passes on what the trap reports until the process is gone.
func (p *process) listen(r *os.File) {
	defer close(p.points)
	defer func() { _ = r.Close() }() // read to its end
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		p.points <- crash.Point(lines.Text())
	}
}

// kill sends SIGKILL and waits until the process was reaped.
func (p *process) kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("storm: kill: %w", err)
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(2 * reapWait):
		return errors.New("storm: kill: the process does not go")
	}
}
