package sqlstore

import (
	"database/sql"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Option changes how a store is made.
type Option func(*config)

type config struct {
	table      tableName
	tokenTable tableName
	lockTable  tableName
	parts      Part
	alone      bool
	classify   Classifier
	now        func() time.Time
	settle     time.Duration
	auto       idem.DB

	txOptions  *sql.TxOptions
	unprepared bool
	partitions int
}

func configure(opts []Option) config {
	c := config{
		table:      parseTable(DefaultTable),
		tokenTable: parseTable(DefaultTokenTable),
		lockTable:  parseTable(DefaultLockTable),
		parts:      PartRecords | PartTokens | PartLocks,
		classify:   Classify,
		now:        time.Now,
		settle:     5 * time.Second,
	}
	for _, opt := range opts {
		opt(&c)
	}
	return c
}

// WithTable names the table of records; "schema.table" puts it into a schema
// or an attached database. Every part is quoted as it is, and on Postgres has at
// most 55 bytes. Default: DefaultTable.
func WithTable(name string) Option {
	return func(c *config) { c.table = parseTable(name) }
}

// WithTokenTable names the table of tokens, as WithTable does that of records.
// Default: DefaultTokenTable.
func WithTokenTable(name string) Option {
	return func(c *config) { c.tokenTable = parseTable(name) }
}

// WithLockTable names the table of locks, as WithTable does that of records.
// Default: DefaultLockTable.
func WithLockTable(name string) Option {
	return func(c *config) { c.lockTable = parseTable(name) }
}

// WithParts has Schema and Migrate make some of the tables only: join what is
// wanted with |. What is left out may be added later. Default: all of them. The
// stores' own Migrate methods make their own table and ignore it.
func WithParts(p Part) Option {
	return func(c *config) { c.parts = p }
}

// WithoutRecords has NewLocks's locker look at no records: it ignores
// LockRequest.Check, and the table of records need not exist.
func WithoutRecords() Option {
	return func(c *config) { c.alone = true }
}

// WithClassifier replaces the table of error classes, for a driver whose
// errors Classify can't read. nil keeps Classify.
func WithClassifier(classify Classifier) Option {
	return func(c *config) {
		if classify != nil {
			c.classify = classify
		}
	}
}

// WithClock sets the clock that decides expiry on SQLite, which has no server
// and so no clock but the machine's (C8). Processes that share a file must
// agree on it, which is why it is the wall clock and not a monotonic one. The
// other dialects ask their server and ignore it. nil keeps time.Now.
func WithClock(now func() time.Time) Option {
	return func(c *config) {
		if now != nil {
			c.now = now
		}
	}
}

// WithSettleTimeout bounds what has to happen after the caller's context
// ended: storing the outcome with the commit, and rolling back. Default 5 s.
func WithSettleTimeout(d time.Duration) Option {
	return func(c *config) {
		if d > 0 {
			c.settle = d
		}
	}
}

// WithAutocommit gives a store made by NewTx a handle outside any transaction,
// so that Keep and Lookup cost one statement instead of a transaction each.
func WithAutocommit(db idem.DB) Option {
	return func(c *config) { c.auto = db }
}

// WithTxOptions sets how New's store begins its transactions: their isolation
// level. nil, the default, is the server's. Under REPEATABLE READ and
// SERIALIZABLE a lost race is ErrRetryTransaction, and a new transaction sees
// the winner (T6). It is ignored by stores made with NewTx. It panics for read-only
// transactions: a claim writes.
func WithTxOptions(opts *sql.TxOptions) Option {
	if opts != nil && opts.ReadOnly {
		panic("idem: sqlstore: read-only transactions can't keep records")
	}
	return func(c *config) { c.txOptions = opts }
}

// WithoutPrepared has a store prepare none of its statements, for a pooler
// between the program and the server that hands each transaction another
// connection. Drivers may then need more round trips per statement.
func WithoutPrepared() Option {
	return func(c *config) { c.unprepared = true }
}

// WithPartitions spreads the table of records over n hash partitions on
// Postgres when Migrate or Schema makes it; a table that exists stays as it is.
// 0, the default, is one plain table. Other dialects ignore it.
func WithPartitions(n int) Option {
	return func(c *config) { c.partitions = max(n, 0) }
}
