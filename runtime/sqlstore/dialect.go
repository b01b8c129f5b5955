package sqlstore

import (
	"database/sql"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// dialect is one row of the table of dialects: everything in which databases
// differ, as far as this package is concerned.
type dialect struct {
	id    idem.Dialect
	now   string // the server's clock in µs; "" = the process clock is bound
	quote byte   // of identifiers
	// placeholder writes the nth value of a statement, from 1. numbered tells
	// that it carries n, so that a value that occurs twice is bound once.
	placeholder func(n int, kind sqlKind) string
	numbered    bool

	// Statement texts, see sqltext.go and the file of the dialect.
	claim    string // decides a claim; may block on another's open transaction
	claimTx  string // the same in a transaction, without blocking
	lookupTx string // reads what a claim in a transaction lost to
	probe    string // after claimTx was locked out: is it this key's row? "" = it always is
	peek     string // reads what is committed, without blocking
	prune    string
	// completeLast stores an outcome or fails, so that what follows in the same
	// round trip isn't done; "" where no driver pipelines.
	completeLast string
	// pruneIn is the kind of transaction that pruning needs; nil = none.
	pruneIn   *sql.TxOptions
	noteVers  string
	fenceMark string // how an update says that it matched, see matched
	// matched counts the rows that a marked update matched, changed or not.
	matched func(idem.Result) (int64, error)
	// retries is how often a statement outside any transaction is run again
	// after a deadlock or a serialization failure. SQLite's driver has waited as
	// long as it was told to before it says that the file is busy.
	retries int
	// fileLock tells that one lock stands for all keys, SQLite's.
	fileLock bool
	// lockedOut tells an error of claimTx or probe that means: another
	// transaction holds a lock. nil = no error does.
	lockedOut func(error) bool
	// noSavepoint tells an error that means: there is no such savepoint any more,
	// since the server rolled back all of the transaction. nil = it never does so
	// without an error of its own.
	noSavepoint func(error) bool

	schema func(d *dialect, c *config) [][]string // by version, see schema.go
	// nameMost is how many bytes a table's name may have where a server cuts longer
	// names off, those of what belongs to the table, too. 0 = it refuses them.
	nameMost int
	// whole joins statements of a migration to one that can't run twice at a
	// time. nil = each may run on its own.
	whole func(texts []string) string
}

var dialects = [...]dialect{
	{
		id:          idem.SQLite,
		quote:       '"',
		placeholder: func(int, sqlKind) string { return "?" },
		claim:       upsertClaim,
		claimTx:     upsertClaim, // the file lock decides who comes first
		lookupTx:    lookupSQL,
		peek:        lookupSQL,
		prune:       pruneByKey,
		noteVers:    noteOnConflict,
		fenceMark:   "fence",
		matched:     idem.Result.RowsAffected,
		fileLock:    true,
		schema:      sqliteSchema,
	},
	{
		id:          idem.Postgres,
		now:         postgresNow,
		quote:       '"',
		placeholder: postgresPlaceholder,
		numbered:    true,
		claim:       upsertClaim,
		claimTx:     postgresClaimTx,
		lookupTx:    lookupSQL,
		peek:        lookupSQL,
		prune:       postgresPrune,
		noteVers:    noteOnConflict,
		fenceMark:   "fence",
		matched:     idem.Result.RowsAffected,
		retries:     10,
		schema:      postgresSchema,
		nameMost:    63 - len("_expires"),
		whole:       postgresWhole,

		completeLast: postgresCompleteLast,
	},
	{
		id:          idem.MySQL,
		now:         mysqlNow,
		quote:       '`',
		placeholder: func(int, sqlKind) string { return "?" },
		claim:       mysqlClaim,
		claimTx:     mysqlClaimTx,
		lookupTx:    lookupSQL + " FOR UPDATE",
		probe:       lookupSQL + " FOR UPDATE NOWAIT",
		peek:        mysqlAtOnce + lookupSQL,
		prune:       mysqlPrune,
		pruneIn:     &sql.TxOptions{Isolation: sql.LevelReadCommitted}, // else it locks gaps that claims insert into
		noteVers:    noteOnDuplicate,
		fenceMark:   "LAST_INSERT_ID(fence)",
		matched:     idem.Result.LastInsertId,
		retries:     10,
		lockedOut:   mysqlLockedOut,
		noSavepoint: mysqlNoSavepoint,
		schema:      mysqlSchema,
	},
}

// dialectOf returns the row of d. A dialect that this version can't serve is a
// fault of the program that a start-up must show, so it panics.
func dialectOf(d idem.Dialect) *dialect {
	for i := range dialects {
		if dialects[i].id == d {
			return &dialects[i]
		}
	}
	panic("idem: sqlstore: dialect " + d.String() + " (" + strconv.Itoa(int(d)) + ") is not supported by this version")
}

// tableName is a table's name in its parts: {"shop", "idem_records"}.
type tableName []string

func parseTable(name string) tableName { return strings.Split(name, ".") }

// sibling names a table or an index that belongs to t, in t's schema.
func (t tableName) sibling(suffix string) tableName {
	out := append(tableName(nil), t...)
	out[len(out)-1] += suffix
	return out
}

// quoted returns the name with each part quoted.
func (d *dialect) quoted(t tableName) string {
	parts := make([]string, len(t))
	for i, part := range t {
		parts[i] = d.quoteName(part)
	}
	return strings.Join(parts, ".")
}

func (d *dialect) quoteName(name string) string {
	q := string(d.quote)
	return q + strings.ReplaceAll(name, q, q+q) + q
}
