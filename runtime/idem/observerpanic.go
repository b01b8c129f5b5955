package idem

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// ObserverPanic is a panic of an Observer on a heartbeat. The program goes on: the claim
// or the lock is settled first, then it is raised again on the caller's goroutine, as a
// panic with this value. One that comes when the caller is gone is logged by slog.Default.
type ObserverPanic struct {
	// Value is what the observer panicked with.
	Value any
	// Stack is the stack of the heartbeat.
	Stack []byte
}

// String tells value and stack.
func (p *ObserverPanic) String() string {
	return fmt.Sprintf("idem: the observer panicked on a heartbeat: %v\n\n%s", p.Value, p.Stack)
}

// raised keeps the first panic of a heartbeat's observer for the caller.
type raised struct {
	mu    sync.Mutex
	first *ObserverPanic
	over  bool // the caller is gone
}

// observe tells the observer on a heartbeat.
func (r *raised) observe(ctx context.Context, c *Call, e Event) {
	defer func() {
		if v := recover(); v != nil {
			r.keep(ctx, v)
		}
	}()
	c.observe(ctx, e)
}

// keep keeps what the observer panicked with, or logs it where that is too late.
func (r *raised) keep(ctx context.Context, v any) {
	p := &ObserverPanic{Value: v, Stack: debug.Stack()}
	r.mu.Lock()
	late := r.over || r.first != nil
	if !late {
		r.first = p
	}
	r.mu.Unlock()
	if late {
		p.log(ctx)
	}
}

// raise raises what was kept. What comes later is logged.
func (r *raised) raise() {
	r.mu.Lock()
	p := r.first
	r.over = true
	r.mu.Unlock()
	if p != nil {
		panic(p)
	}
}

// log writes a panic that has no caller to pass to.
func (p *ObserverPanic) log(ctx context.Context) {
	slog.Default().ErrorContext(ctx, "idem: the observer panicked", "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
}

// logPanic, deferred, keeps a panic on a goroutine without a caller from ending the program.
func logPanic(ctx context.Context) {
	if v := recover(); v != nil {
		(&ObserverPanic{Value: v, Stack: debug.Stack()}).log(ctx)
	}
}
