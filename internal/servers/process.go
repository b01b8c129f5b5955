package servers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	// readyWithin bounds the wait for a started server to answer. Test machines
	// are slow at times; a server that ends is noticed at once.
	readyWithin = 60 * time.Second
	readyPoll   = 5 * time.Millisecond
	// stopWithin bounds the wait for a server to end by itself, goneWithin the wait
	// for one that was killed.
	stopWithin = 5 * time.Second
	goneWithin = 10 * time.Second
)

// process is one server process: what it takes to start it, and the run at hand.
// Its methods may be called concurrently.
type process struct {
	name  string
	path  string
	args  []string
	env   []string
	dir   string
	log   string // its output is appended to this file
	user  *identity
	term  syscall.Signal // asks it to end
	death syscall.Signal // what it gets when the test process dies (Linux)
	ready func() error   // answers nil when the server does

	mu  sync.Mutex
	run *run
}

// run is one life of a process.
type run struct {
	pid  int
	done chan struct{} // closed when the process has been waited for
	err  error         // how it ended; read after done
}

func (r *run) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// endedWithin waits for the process to end.
func (r *run) endedWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.done:
		return true
	case <-timer.C:
		return false
	}
}

// start starts the process and waits until it answers.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != nil && !p.run.ended() {
		return fmt.Errorf("%s runs already", p.name)
	}
	r, err := p.launch()
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	p.run = r
	if err := p.awaitReady(r); err != nil {
		p.end(r, sigKill, 0)
		return fmt.Errorf("%s: %w\n%s", p.name, err, p.logTail())
	}
	return nil
}

// launch starts the process on a thread that lives as long as the process does:
// the kernel's parent-death signal is tied to the thread, not to the program.
func (p *process) launch() (*run, error) {
	started := make(chan error)
	r := &run{done: make(chan struct{})}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			started <- err
			return
		}
		cmd := exec.Command(p.path, p.args...)
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), p.env...)
		cmd.Stdout, cmd.Stderr = log, log
		cmd.SysProcAttr = childAttributes(p.user, p.death)
		err = cmd.Start()
		log.Close()
		if err != nil {
			started <- err
			return
		}
		r.pid = cmd.Process.Pid
		started <- nil
		r.err = cmd.Wait()
		close(r.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return r, nil
}

// awaitReady waits until the server answers, or has ended, or the time is over.
func (p *process) awaitReady(r *run) error {
	return await(readyWithin, readyPoll, func() (bool, error) {
		if r.ended() {
			return false, fmt.Errorf("ended before it was ready: %v", r.err)
		}
		if err := p.ready(); err != nil {
			return false, &notYet{err}
		}
		return true, nil
	})
}

// stop asks the process to end, and kills it if it doesn't in time.
func (p *process) stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil || p.run.ended() {
		return nil
	}
	return p.end(p.run, p.term, stopWithin)
}

// kill ends the process and its children at once, without a chance to tidy up.
func (p *process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil || p.run.ended() {
		return fmt.Errorf("%s doesn't run", p.name)
	}
	return p.end(p.run, sigKill, 0)
}

// end sends a signal, waits for so long, then kills. Paused first, the process can
// neither make children nor have their numbers used again while they are killed.
func (p *process) end(r *run, sig syscall.Signal, patience time.Duration) error {
	if r.ended() {
		return nil
	}
	if sig != sigKill {
		signalProcess(r.pid, sigResume) // a paused one would not hear it
		signalProcess(r.pid, sig)
		if r.endedWithin(patience) {
			return nil
		}
	}
	signalProcess(r.pid, sigPause)
	children := childrenOf(r.pid)
	for _, child := range children {
		signalProcess(child, sigKill)
	}
	signalGroup(r.pid, sigKill)
	if !r.endedWithin(goneWithin) {
		return fmt.Errorf("%s: process %d doesn't end", p.name, r.pid)
	}
	// A child that is still ending holds what the next run needs: Postgres does not
	// start while one is attached to the old shared memory.
	err := await(goneWithin, time.Millisecond, func() (bool, error) { return !slices.ContainsFunc(children, running), nil })
	if err != nil {
		return fmt.Errorf("%s: children of process %d don't end", p.name, r.pid)
	}
	return nil
}

// signal sends a signal to the running process and its children.
func (p *process) signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil || p.run.ended() {
		return fmt.Errorf("%s doesn't run", p.name)
	}
	for _, child := range childrenOf(p.run.pid) {
		signalProcess(child, sig)
	}
	return signalGroup(p.run.pid, sig)
}

// pid is the number of the running process, 0 when there is none.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil || p.run.ended() {
		return 0
	}
	return p.run.pid
}

// logTail is the end of what the server wrote, for messages.
func (p *process) logTail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	const most = 2000
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return filepath.Base(p.log) + " ends:\n" + string(text)
}

// notYet is an error that may go away by waiting.
type notYet struct{ err error }

func (e *notYet) Error() string { return e.err.Error() }
func (e *notYet) Unwrap() error { return e.err }

// await calls step until it is done, returns an error other than notYet, or the
// time is over.
func await(within, poll time.Duration, step func() (bool, error)) error {
	deadline := time.Now().Add(within)
	for {
		done, err := step()
		var later *notYet
		switch {
		case err != nil && !errors.As(err, &later):
			return err
		case done:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("not ready after %v: %v", within, err)
		}
		time.Sleep(poll)
	}
}
