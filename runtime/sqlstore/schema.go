package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Default names of the runtime's tables.
const (
	DefaultTable      = "idem_records"
	DefaultTokenTable = "idem_tokens"
	DefaultLockTable  = "idem_locks"
)

// Part is one of the runtime's tables, or several of them joined with |.
type Part uint8

// The runtime's tables. Each has versions of its own, so that one that was left
// out can be added whenever it is wanted.
const (
	PartRecords Part = 1 << iota // New, NewTx
	PartTokens                   // NewTokens
	PartLocks                    // NewLocks
)

// tables are the parts in the order in which they are made.
var tables = [...]struct {
	part Part
	name func(c *config) tableName
	// versions lists the statements of each version of the table, the first
	// version first. Every statement may be run again.
	versions func(d *dialect, c *config) [][]string
}{
	{PartRecords, func(c *config) tableName { return c.table }, func(d *dialect, c *config) [][]string { return d.schema(d, c) }},
	{PartTokens, func(c *config) tableName { return c.tokenTable }, tokenSchema},
	{PartLocks, func(c *config) tableName { return c.lockTable }, lockSchema},
}

// Schema returns the statements that make the runtime's tables in their newest
// version, each ended by a semicolon, for those who keep their own migrations.
// All of them may be run again, also on tables of an older version. WithParts
// leaves tables out. It panics for a dialect that New refuses.
func Schema(d idem.Dialect, opts ...Option) string {
	dia, c := dialectOf(d), configure(opts)
	var out strings.Builder
	for _, t := range tables {
		if c.parts&t.part == 0 {
			continue
		}
		for _, step := range t.versions(dia, &c) {
			for _, text := range step {
				out.WriteString(text)
				out.WriteString(";\n")
			}
		}
	}
	return out.String()
}

// Migrate brings the runtime's tables to the version that this package knows;
// WithParts leaves tables out. It may run at every start and in several
// processes at once: versions only ever add, and each of their statements may
// be run again. A table of a newer version is left alone. Errors are those of
// the database, classed like the store's.
func Migrate(ctx context.Context, db idem.DB, d idem.Dialect, opts ...Option) error {
	r := newRecords(d, opts)
	return r.migrateParts(ctx, db, r.parts)
}

// migrate brings the table of records to its newest version.
func (r *records) migrate(ctx context.Context, db idem.DB) error {
	return r.migrateParts(ctx, db, PartRecords)
}

// migrateTries bounds how often a busy database is asked again: processes that
// start at once get into each other's way, and SQLite doesn't queue those who
// switch a new file to its write-ahead log.
const migrateTries = 20

func (r *records) migrateParts(ctx context.Context, db idem.DB, parts Part) error {
	for _, t := range tables {
		if parts&t.part == 0 {
			continue
		}
		if err := r.dialect.fits(t.name(&r.config)); err != nil {
			return &storeError{doing: "migrate", err: err}
		}
		for try := 1; ; try++ {
			err := r.migrateOnce(ctx, db, t.name(&r.config).sibling("_schema"), t.versions(r.dialect, &r.config))
			if err == nil {
				break
			}
			if try == migrateTries || !errors.Is(err, idem.ErrRetryTransaction) {
				return err
			}
			if !sleep(ctx, time.Duration(try)*5*time.Millisecond) {
				return err
			}
		}
	}
	return nil
}

// fits tells a name that the server would cut off: index, partitions and notes of the
// table would be one another then, or the table itself, and so not be made.
func (d *dialect) fits(t tableName) error {
	for _, part := range t {
		if d.nameMost > 0 && len(part) > d.nameMost {
			return fmt.Errorf("the table's name %q has %d bytes, more than %d", part, len(part), d.nameMost)
		}
	}
	return nil
}

// migrateOnce runs what is missing of one table's versions, every statement on
// its own, and notes in the table notes what it ran.
func (r *records) migrateOnce(ctx context.Context, db idem.DB, notes tableName, versions [][]string) error {
	name := r.dialect.quoted(notes)
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
	for version, step := range versions {
		if int64(version) <= current {
			continue
		}
		if err := runAll(step...); err != nil {
			return err
		}
		note := r.dialect.compile(r.dialect.noteVers, notes)
		v := r.values(idem.Key{})
		v[pFence] = int64(version)
		if err := run(note.text, note.bind(v)...); err != nil {
			return err
		}
	}
	return nil
}

// sqliteSchema lists the versions of the table of records. Keys are 32 bytes and are
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
