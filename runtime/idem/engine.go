package idem

import (
	"context"
	"sync"
	"time"
)

// Defaults of an Engine.
const (
	DefaultMaxResult     = 1 << 20         // bytes
	DefaultSettleTimeout = 5 * time.Second // per settling
	DefaultTxRetries     = 5               // after the first attempt
)

// Engine holds what all guarded calls of a program share. It is immutable and
// safe for concurrent use; stores are given per wrapper.
type Engine struct {
	scope     Scope
	observer  Observer
	codec     Codec
	maxResult int64
	sentinels []Sentinel
	unknown   func(error) bool
	settle    time.Duration
	retries   int
	shapes    *sync.Map // reflect.Type → *shape, of the canonical walk
	restored  *sync.Map // reflect.Type → why JSON does not bring it back
	pruning   *pruning
}

// Scope says whom a key belongs to: the tenant or caller. It is read for each
// call (K3). Make one with ScopeFrom, or use GlobalScope.
type Scope interface {
	scopeOf(ctx context.Context) (string, error)
}

// GlobalScope is the scope of programs in which keys belong to nobody in
// particular.
const GlobalScope = globalScope(0)

type globalScope uint8

func (globalScope) scopeOf(context.Context) (string, error) { return "", nil }

type scopeFunc func(context.Context) string

func (f scopeFunc) scopeOf(ctx context.Context) (string, error) {
	if s := f(ctx); s != "" {
		return s, nil
	}
	return "", ErrMissingScope
}

// ScopeFrom makes a scope of a function that is called once per guarded call; an
// empty answer is ErrMissingScope.
func ScopeFrom(f func(context.Context) string) Scope { return scopeFunc(f) }

// Option changes an Engine while New makes it.
type Option func(*Engine)

// WithObserver sets the observer; nil is none.
func WithObserver(o Observer) Option { return func(e *Engine) { e.observer = o } }

// WithCodec sets the codec of operations that have none of their own; the
// default is JSON.
func WithCodec(c Codec) Option { return func(e *Engine) { e.codec = c } }

// WithMaxResult sets the largest encoded result that is kept, in bytes.
func WithMaxResult(n int64) Option { return func(e *Engine) { e.maxResult = n } }

// WithSentinels adds errors that stored errors of every operation may unwrap to
// on replay.
func WithSentinels(s ...Sentinel) Option {
	return func(e *Engine) { e.sentinels = append(e.sentinels, s...) }
}

// WithUnknown adds to the errors after which nobody knows whether the effect took
// place (C12), for transports that the core does not know. f is asked for each
// error that neither a mark nor a rule decides, as the method returned it, and must
// be safe for concurrent use. Given twice, either may say so.
func WithUnknown(f func(err error) bool) Option {
	return func(e *Engine) {
		before := e.unknown
		if before == nil || f == nil {
			e.unknown = f
			return
		}
		e.unknown = func(err error) bool { return before(err) || f(err) }
	}
}

// WithSettleTimeout bounds each settling of a claim, which runs on a context
// that the caller's cancellation does not reach (C5).
func WithSettleTimeout(d time.Duration) Option { return func(e *Engine) { e.settle = d } }

// WithTxRetries sets how often a transaction that the wrapper began is run again
// after ErrRetryTransaction (T3); 0 = never.
func WithTxRetries(n int) Option { return func(e *Engine) { e.retries = n } }

// New makes an engine. A nil scope makes every call ErrMissingScope.
func New(scope Scope, opts ...Option) *Engine {
	e := &Engine{
		scope:     scope,
		codec:     JSON{},
		maxResult: DefaultMaxResult,
		settle:    DefaultSettleTimeout,
		retries:   DefaultTxRetries,
		shapes:    new(sync.Map),
		restored:  new(sync.Map),
		pruning:   &pruning{every: DefaultPruneEvery},
	}
	for _, opt := range opts {
		opt(e)
	}
	if e.codec == nil {
		e.codec = JSON{}
	}
	if e.settle <= 0 {
		e.settle = DefaultSettleTimeout
	}
	return e
}

// Call is one guarded call: its operation, storage key and fingerprint, frozen
// before anything runs (K1). It is a value and may be used once.
type Call struct {
	engine *Engine
	op     *Op
	key    Key
	print  Fingerprint
	err    error
}

// Call freezes the key of a call in the engine's scope. What is wrong with it
// (*KeyError, ErrMissingScope) is returned by the function that runs the call.
func (e *Engine) Call(ctx context.Context, op *Op, parts ...Part) Call {
	if e.scope == nil {
		return Call{engine: e, op: op, err: ErrMissingScope}
	}
	scope, err := e.scope.scopeOf(ctx)
	if err != nil {
		return Call{engine: e, op: op, err: err}
	}
	key, err := makeKey(scope, op, parts)
	return Call{engine: e, op: op, key: key, err: err}
}

// CallIn is Call in a scope of the caller's choice; "" is ErrMissingScope.
func (e *Engine) CallIn(scope string, op *Op, parts ...Part) Call {
	if scope == "" {
		return Call{engine: e, op: op, err: ErrMissingScope}
	}
	key, err := makeKey(scope, op, parts)
	return Call{engine: e, op: op, key: key, err: err}
}

// Match sets the fingerprint: the arguments that a retry must repeat, by
// position; zero ones are left out (K5).
func (c Call) Match(parts ...Part) Call {
	if c.err == nil {
		c.print, c.err = makeFingerprint(c.engine, c.op, parts)
	}
	return c
}

// Key is the storage key; its zero value when Err is not nil.
func (c Call) Key() Key { return c.key }

// Fingerprint is the fingerprint of the arguments; zero without Match.
func (c Call) Fingerprint() Fingerprint { return c.print }

// Err is what was wrong with the key, the scope or the arguments.
func (c Call) Err() error { return c.err }
