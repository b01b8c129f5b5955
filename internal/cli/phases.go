package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

// progressAfter is how long a run may take before a terminal is told what it does.
const progressAfter = 500 * time.Millisecond

// phases knows what a run is doing, and how long each part of it took. A nil one takes
// every call and does nothing.
type phases struct {
	mu      sync.Mutex
	names   []string
	began   []time.Time
	over    time.Time
	screen  io.Writer // a terminal, or nil
	shown   bool
	stopped bool
}

// enter begins a phase and ends the one before.
func (p *phases) enter(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names, p.began = append(p.names, name), append(p.began, time.Now())
	p.show()
}

// show writes the phase over the one that is shown; the lock is held.
func (p *phases) show() {
	if p.shown && !p.stopped && len(p.names) > 0 {
		fmt.Fprintf(p.screen, "\r\x1b[Kidemgen: %s …", p.names[len(p.names)-1])
	}
}

// watch shows what a long run does, until the function that it returns is called.
func (p *phases) watch() (stop func()) {
	if p.screen == nil {
		return func() {}
	}
	timer := time.AfterFunc(progressAfter, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.shown = !p.stopped
		p.show()
	})
	return func() {
		timer.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.shown && !p.stopped {
			fmt.Fprint(p.screen, "\r\x1b[K") // nothing of it stays
		}
		p.stopped = true
	}
}

// end ends the last phase.
func (p *phases) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = time.Now()
}

// report prints how long each phase took. One that was entered twice is summed up.
func (p *phases) report(w io.Writer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var order []string
	took := map[string]time.Duration{}
	for i, name := range p.names {
		until := p.over
		if i+1 < len(p.began) {
			until = p.began[i+1]
		}
		if _, seen := took[name]; !seen {
			order = append(order, name)
		}
		took[name] += until.Sub(p.began[i])
	}
	if len(order) == 0 {
		return
	}
	fmt.Fprint(w, "idemgen:")
	for _, name := range order {
		fmt.Fprintf(w, " %s %v,", name, took[name].Round(100*time.Microsecond))
	}
	fmt.Fprintf(w, " in all %v\n", p.over.Sub(p.began[0]).Round(100*time.Microsecond))
}

// measured runs a command with what -v, -cpuprofile and -memprofile ask for.
func (a *app) measured(opts *options, run func() int) (code int) {
	a.phases = &phases{}
	if isTerminal(a.stderr) {
		a.phases.screen = a.stderr
	}
	stop := a.phases.watch()
	defer stop()
	if opts.cpuProfile != "" {
		f, err := os.Create(opts.cpuProfile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			return a.fail(fmt.Errorf("-cpuprofile: %w", err))
		}
		defer func() {
			pprof.StopCPUProfile()
			if err := f.Close(); err != nil {
				code = a.fail(fmt.Errorf("-cpuprofile: %w", err))
			}
		}()
	}
	code = run()
	stop()
	a.phases.end()
	if opts.verbose {
		a.phases.report(a.stderr)
	}
	if opts.memProfile != "" {
		f, err := os.Create(opts.memProfile)
		if err == nil {
			runtime.GC() // what is alive counts
			err = errors.Join(pprof.WriteHeapProfile(f), f.Close())
		}
		if err != nil {
			return a.fail(fmt.Errorf("-memprofile: %w", err))
		}
	}
	return code
}
