package pgxstore

import (
	"time"

	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
)

// Option changes how a store is made.
type Option func(*config)

type config struct {
	tx       pgx.TxOptions
	settle   time.Duration
	table    string
	classify sqlstore.Classifier
	sql      []sqlstore.Option
}

func configure(opts []Option) config {
	c := config{settle: 5 * time.Second, table: sqlstore.DefaultTable, classify: sqlstore.Classify}
	for _, opt := range opts {
		opt(&c)
	}
	c.classify = classifier(c.classify)
	c.sql = append(c.sql, sqlstore.WithTable(c.table), sqlstore.WithClassifier(c.classify), sqlstore.WithSettleTimeout(c.settle))
	return c
}

// WithTxOptions sets how the store begins its transactions: isolation level,
// deferrable mode, queries of their own. The zero value, the default, is the
// server's. Under REPEATABLE READ and SERIALIZABLE a lost race is
// ErrRetryTransaction, and a new transaction sees the winner (T6). New panics
// for read-only transactions: a claim writes.
func WithTxOptions(opts pgx.TxOptions) Option {
	return func(c *config) { c.tx = opts }
}

// WithTable names the table of records; "schema.table" puts it into a schema.
// Every part is quoted as it is. Default: sqlstore.DefaultTable.
func WithTable(name string) Option {
	return func(c *config) { c.table = name }
}

// WithClassifier replaces the table of error classes. It need not know the
// errors of pgx that say that nothing was sent: those are told from the others
// before it is asked. nil keeps sqlstore.Classify.
func WithClassifier(classify sqlstore.Classifier) Option {
	return func(c *config) {
		if classify != nil {
			c.classify = classify
		}
	}
}

// WithSettleTimeout bounds what has to happen after the caller's context
// ended: storing the outcome with the commit, and rolling back. Default 5 s; 0
// or less keeps it.
func WithSettleTimeout(d time.Duration) Option {
	return func(c *config) {
		if d > 0 {
			c.settle = d
		}
	}
}

// WithPartitions spreads the table of records over n hash partitions when
// Migrate makes it; a table that exists stays as it is. 0, the default, is one
// plain table.
func WithPartitions(n int) Option {
	return func(c *config) { c.sql = append(c.sql, sqlstore.WithPartitions(n)) }
}
