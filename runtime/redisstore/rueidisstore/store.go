package rueidisstore

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/redisscript"
	"github.com/redis/rueidis"
)

// DefaultPrefix is what all keys begin with, unless WithPrefix says otherwise.
const DefaultPrefix = redisscript.DefaultPrefix

// Errors of New.
var (
	// ErrMayEvict: the server's maxmemory-policy is not noeviction, so that it may
	// remove what it acknowledged before its time.
	ErrMayEvict = redisscript.ErrMayEvict
	// ErrPolicyUnknown: the server tells its policy neither by INFO nor by CONFIG GET.
	ErrPolicyUnknown = redisscript.ErrPolicyUnknown
	// ErrNumbers: the server is one of 32 bits, whose scripts cut times off.
	ErrNumbers = redisscript.ErrNumbers
)

// Store keeps records in Redis: it is an idem.RecordStore, of which each method is
// one round trip and Prune none. It is safe for concurrent use. The client stays the
// caller's to close.
type Store struct {
	idem.RecordStore
	tokens idem.TokenStore
	locks  idem.Locker
}

// Option changes how a store is made.
type Option func(*redisscript.Config)

// WithPrefix sets what all keys begin with, to keep apart what shares a server. It
// must not have braces, which would decide the cluster slot of every key.
func WithPrefix(prefix string) Option {
	return func(c *redisscript.Config) { c.Prefix = prefix }
}

// WithWarnings has New tell warn what it would otherwise refuse: ErrMayEvict,
// ErrPolicyUnknown, or a server that does not answer. It is called by New alone.
func WithWarnings(warn func(error)) Option {
	return func(c *redisscript.Config) { c.Warn = warn }
}

// WithoutCheck has New ask the server nothing.
func WithoutCheck() Option {
	return func(c *redisscript.Config) { c.Unchecked = true }
}

// New makes a store after it has asked every primary for its maxmemory-policy.
// Errors: ErrMayEvict, ErrPolicyUnknown, ErrNumbers, idem.ErrStoreUnavailable, a bad prefix.
func New(ctx context.Context, client rueidis.Client, opts ...Option) (*Store, error) {
	c := redisscript.Config{Prefix: DefaultPrefix}
	for _, opt := range opts {
		opt(&c)
	}
	s, err := redisscript.Open(ctx, adapter{client}, c)
	if err != nil {
		return nil, err
	}
	return &Store{RecordStore: s.Records, tokens: s.Tokens, locks: s.Locks}, nil
}

// Tokens is the token store beside the records: each method is one round trip, Issue
// for several tokens as well (on a cluster one to each primary, side by side).
func (s *Store) Tokens() idem.TokenStore { return s.tokens }

// Locks is the locker beside the records, which it can check: each method is one
// round trip, the check included.
func (s *Store) Locks() idem.Locker { return s.locks }
