package sqlstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// DefaultTable is the name of the table of records.
const DefaultTable = "idem_records"

// sqliteSchema lists the statements of each version of the schema, the first
// version first. Every statement may be run again. Keys are 32 bytes and are
// compared as bytes (K2); key_text is for people. Times are integers (C8).
// expires_at is NULL where a record never expires: the index leaves those out.
func sqliteSchema(d *dialect, c *config) [][]string {
	t := c.table
	index := t.sibling("_expires")
	return [][]string{
		1: {
			`CREATE TABLE IF NOT EXISTS ` + d.quoted(t) + ` (
	key_hash BLOB NOT NULL PRIMARY KEY,
	key_text TEXT NOT NULL,
	owner BLOB NOT NULL,
	fence INTEGER NOT NULL,
	state INTEGER NOT NULL,
	orphan INTEGER NOT NULL,
	fingerprint BLOB,
	codec TEXT NOT NULL,
	result BLOB,
	lease_until INTEGER,
	expires_at INTEGER,
	claimed_at INTEGER NOT NULL
) WITHOUT ROWID`,
			`CREATE INDEX IF NOT EXISTS ` + d.quoted(index) + ` ON ` + d.quoteName(t[len(t)-1]) + ` (expires_at) WHERE expires_at IS NOT NULL`,
		},
	}
}

// Schema returns the statements that make the runtime's tables in their newest
// version, each ended by a semicolon, for those who keep their own migrations.
// All of them may be run again. It panics for a dialect that New refuses.
func Schema(d idem.Dialect, opts ...Option) string {
	dia, c := dialectOf(d), configure(opts)
	var out strings.Builder
	for _, step := range dia.schema(dia, &c) {
		for _, text := range step {
			out.WriteString(text)
			out.WriteString(";\n")
		}
	}
	return out.String()
}

// Migrate brings the runtime's tables to the version that this package knows.
// It may run at every start and in several processes at once: versions only
// ever add, and each of their statements may be run again. A database of a
// newer version is left alone. Errors are those of the database, classed like
// the store's.
func Migrate(ctx context.Context, db idem.DB, d idem.Dialect, opts ...Option) error {
	return newRecords(d, opts).migrate(ctx, db)
}

// migrateTries bounds how often a busy database is asked again: processes that
// start at once get into each other's way, and SQLite doesn't queue those who
// switch a new file to its write-ahead log.
const migrateTries = 20

func (r *records) migrate(ctx context.Context, db idem.DB) error {
	for try := 1; ; try++ {
		err := r.migrateOnce(ctx, db)
		if err == nil || try == migrateTries || !errors.Is(err, idem.ErrRetryTransaction) {
			return err
		}
		if !sleep(ctx, time.Duration(try)*5*time.Millisecond) {
			return err
		}
	}
}

// migrateOnce runs what is missing, every statement on its own.
func (r *records) migrateOnce(ctx context.Context, db idem.DB) error {
	table := r.table.sibling("_schema")
	name := r.dialect.quoted(table)
	run := func(text string, args ...any) error {
		if _, err := db.Exec(ctx, text, args...); err != nil {
			return r.fault(ctx, "migrate", err)
		}
		return nil
	}
	runAll := func(texts ...string) error {
		if r.dialect.whole != nil {
			texts = []string{r.dialect.whole(texts)}
		}
		for _, text := range texts {
			if err := run(text); err != nil {
				return err
			}
		}
		return nil
	}
	if err := runAll(`CREATE TABLE IF NOT EXISTS ` + name + ` (version INTEGER NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)`); err != nil {
		return err
	}
	var current int64
	if _, err := queryRow(ctx, db, `SELECT COALESCE(MAX(version), 0) FROM `+name, nil, &current); err != nil {
		return r.fault(ctx, "migrate", err)
	}
	for version, step := range r.dialect.schema(r.dialect, &r.config) {
		if int64(version) <= current {
			continue
		}
		if err := runAll(step...); err != nil {
			return err
		}
		note := r.dialect.compile(r.dialect.noteVers, table)
		v := r.values(idem.Key{})
		v[pFence] = int64(version)
		if err := run(note.text, note.bind(v)...); err != nil {
			return err
		}
	}
	return nil
}
