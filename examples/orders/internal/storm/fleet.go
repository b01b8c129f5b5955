package storm

import (
	"fmt"
	"path/filepath"
	"sync"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
)

// fleet is the bank and the servers. Safe for concurrent use.
type fleet struct {
	bank    *seat
	banker  *process
	servers []*server
}

// server is a seat and the process that has it now.
type server struct {
	*seat
	run func() (*process, error)

	mu   sync.Mutex // guards proc
	proc *process
}

// launch starts the bank and all servers.
func launch(cfg Config, dir string) (f *fleet, err error) {
	f = &fleet{}
	defer func() {
		if err != nil {
			f.stop()
		}
	}()
	if f.bank, err = newSeat(); err != nil {
		return nil, err
	}
	if f.banker, err = start(cfg, f.bank, "bank", "-file", filepath.Join(dir, "bank.txt")); err != nil {
		return nil, err
	}
	args := []string{"serve", "-db", filepath.Join(dir, "orders.db"), "-bank", f.bank.url}
	if cfg.Unguarded {
		args = append(args, "-unguarded")
	}
	for range cfg.Servers {
		s := &server{}
		if s.seat, err = newSeat(); err != nil {
			return nil, err
		}
		f.servers = append(f.servers, s)
		s.run = func() (*process, error) { return start(cfg, s.seat, args...) }
		if s.proc, err = s.run(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// stop kills every process and waits for it.
func (f *fleet) stop() {
	if f.banker != nil {
		_ = f.banker.kill() // nothing is left to do about one that stays
	}
	if f.bank != nil {
		_ = f.bank.listener.Close()
	}
	for _, s := range f.servers {
		if p := s.process(); p != nil {
			_ = p.kill()
		}
		_ = s.listener.Close()
	}
}

// check tells of a process that ended on its own.
func (f *fleet) check() error {
	procs := []*process{f.banker}
	for _, s := range f.servers {
		procs = append(procs, s.process())
	}
	for _, p := range procs {
		select {
		case <-p.gone:
			return fmt.Errorf("storm: a process ended on its own: %v: %v", p.cmd.Args, p.err)
		default:
		}
	}
	return nil
}

func (s *server) process() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc
}

// points is where the present process reports crash points.
func (s *server) points() <-chan crash.Point { return s.process().points }

// restart kills the process with SIGKILL and gives its seat to a new one.
func (s *server) restart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.proc.kill(); err != nil {
		return err
	}
	next, err := s.run()
	if err != nil {
		return err
	}
	s.proc = next
	return nil
}
