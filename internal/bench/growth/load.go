package growth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// small tables are put back after every sample, larger ones after every race: a race
// adds a few percent to those.
const small = 100_000

// expiredOf of the records has expired.
const expiredOf = 10

// table is one of records.
type table struct {
	name    string
	records int
	store   *sqlstore.Store
	// loaded is the time of the loaded claims, µs: what races claim is later.
	loaded int64
	took   time.Duration
}

// loaded is the hash of record n of a table: what the databases make of it in bulk.
func loaded(n uint64) (hash [32]byte) {
	return sha256.Sum256(fmt.Append(nil, n))
}

// Load makes a table with so many records, of which a tenth has expired.
//
// Seven tenths come in the order of their keys, which is fast and leaves every page of
// the index full; the others come in no order and split those pages. So the pages are
// two thirds full, as inserts of random keys leave them for good. Loaded in order alone,
// a table would split nearly all of its pages within the first claims that it gets: a
// price of loading that no table in use pays.
func (d *Database) Load(ctx context.Context, records int) error {
	t, err := d.load(ctx, records, false)
	if err == nil {
		d.tables = append(d.tables, t)
	}
	return err
}

// load is Load, of a table of its own; with full it loads in order alone.
func (d *Database) load(ctx context.Context, records int, full bool) (*table, error) {
	began := time.Now()
	t := &table{name: fmt.Sprintf("records_%d", records), records: records, loaded: began.Add(-2 * time.Hour).UnixMicro()}
	const parts = 10
	inOrder := 7
	if full {
		t.name, inOrder = t.name+"_full", parts
	}
	t.store = sqlstore.New(d.db, d.dialect, sqlstore.WithTable(t.name))
	if err := t.store.Migrate(ctx); err != nil {
		return nil, err
	}
	numbers := d.numbers()
	statements := []string{
		d.insert(t, fmt.Sprintf("WHERE MOD(%s, %d) < %d ORDER BY 1", numbers, parts, inOrder)),
		d.insert(t, fmt.Sprintf("WHERE MOD(%s, %d) >= %d", numbers, parts, inOrder)),
	}
	if d.driver == "mysql" {
		statements = append(statements, "ANALYZE TABLE "+t.name)
	} else {
		statements = append(statements, "VACUUM ANALYZE "+t.name, "CHECKPOINT")
	}
	if _, err := d.exec(ctx, statements...); err != nil {
		return nil, fmt.Errorf("load %d records: %w", records, err)
	}
	t.took = time.Since(began)
	if err := d.purgedTo(ctx, 0, 10*time.Minute); err != nil {
		return nil, err
	}
	return t, d.settle(ctx)
}

// numbers is the name of a record's number in the statement of insert.
func (d *Database) numbers() string {
	if d.driver == "mysql" {
		return "seq"
	}
	return "n"
}

// insert is the statement that loads the records of a table that a condition lets
// through. Expired ones have times of their own, an hour ago and earlier.
func (d *Database) insert(t *table, where string) string {
	series, hash, n := fmt.Sprintf("generate_series(1, %d) AS s(n)", t.records), "sha256(convert_to(n::text, 'UTF8'))", d.numbers()
	verb, conflict := "INSERT", " ON CONFLICT DO NOTHING"
	owner, result := "decode('00112233445566778899aabbccddeeff', 'hex')", `decode('7b7d', 'hex')`
	if d.driver == "mysql" {
		series, hash = fmt.Sprintf("seq_1_to_%d", t.records), "UNHEX(SHA2(seq, 256))"
		verb, conflict = "INSERT IGNORE", ""
		owner, result = "UNHEX('00112233445566778899aabbccddeeff')", "'{}'"
	}
	later, before := time.Now().Add(48*time.Hour).UnixMicro(), time.Now().Add(-time.Hour).UnixMicro()
	return fmt.Sprintf(`%s INTO %s (key_hash, key_text, owner, fence, state, orphan, codec, result, lease_until, expires_at, claimed_at)
		SELECT %s, CONCAT('bench.Service.Pay ', %[4]s), %[5]s, 1, 1, 1, 'json', %[6]s, NULL, CASE WHEN MOD(%[4]s, %[7]d) = 0 THEN %[8]d - %[4]s ELSE %[9]d + %[4]s END, %[10]d FROM %[11]s %[12]s%[13]s`,
		verb, t.name, hash, n, owner, result, expiredOf, before, later, t.loaded, series, where, conflict)
}

// restock puts back expired records that were pruned.
func (d *Database) restock(ctx context.Context, t *table) (int64, error) {
	return d.exec(ctx, d.insert(t, fmt.Sprintf("WHERE MOD(%s, %d) = 0", d.numbers(), expiredOf)))
}

// remove takes out what a run of a race has claimed, and tells how much that was.
func (d *Database) remove(ctx context.Context, t *table, mark string) (n int64, err error) {
	text := fmt.Sprintf("DELETE FROM %s WHERE claimed_at > %d AND key_text = '%s'", t.name, t.loaded, mark)
	if d.driver != "mysql" {
		n, err = d.exec(ctx, text)
		if err == nil && t.records <= small {
			_, err = d.exec(ctx, "VACUUM "+t.name)
		}
		return n, err
	}
	// Without this a scan locks every row that it passes.
	if n, err = d.exec(ctx, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", text); err != nil {
		return n, err
	}
	return n, d.purged(ctx)
}

// purged waits until MariaDB has cleared away what was deleted, which it does about once
// a second: it would do so during the next sample. It waits for some seconds at most.
func (d *Database) purged(ctx context.Context) error {
	return d.purgedTo(ctx, 20, 3*time.Second)
}

// purgedTo waits until so many transactions are left to clear away behind, for so long at
// most. One that has loaded millions of records takes a minute, reads every page once
// more, and keeps the server from its work meanwhile.
func (d *Database) purgedTo(ctx context.Context, left float64, within time.Duration) error {
	if d.driver != "mysql" || d.config.Hasty {
		return nil
	}
	for began := time.Now(); time.Since(began) < within; time.Sleep(10 * time.Millisecond) {
		n, err := d.number(ctx, status("INNODB_HISTORY_LIST_LENGTH"))
		if err != nil || n <= left {
			return err
		}
	}
	return nil
}

// settle waits until MariaDB has written the pages that loading changed: it would do so
// during the races.
func (d *Database) settle(ctx context.Context) error {
	if d.driver != "mysql" || d.config.Hasty {
		return nil
	}
	if err := d.purged(ctx); err != nil {
		return err
	}
	if _, err := d.exec(ctx, "SET GLOBAL innodb_io_capacity_max = 20000", "SET GLOBAL innodb_io_capacity = 20000", "SET GLOBAL innodb_max_dirty_pages_pct = 0"); err != nil {
		return err
	}
	for range 600 {
		n, err := d.number(ctx, status("INNODB_BUFFER_POOL_PAGES_DIRTY"))
		if err != nil {
			return err
		}
		if n < 500 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	_, err := d.exec(ctx, "SET GLOBAL innodb_max_dirty_pages_pct = 90", "SET GLOBAL innodb_io_capacity = 200", "SET GLOBAL innodb_io_capacity_max = 2000")
	return err
}

// shrink makes the pool of pages of MariaDB smaller, and waits until it is.
func (d *Database) shrink(ctx context.Context, mib int) error {
	if _, err := d.exec(ctx, fmt.Sprintf("SET GLOBAL innodb_buffer_pool_size = %d", mib<<20)); err != nil {
		return err
	}
	var resize string
	for range 600 {
		if err := d.db.QueryRowContext(ctx, status("INNODB_BUFFER_POOL_RESIZE_STATUS")).Scan(&resize); err != nil {
			return err
		}
		if strings.Contains(resize, "Completed") || resize == "" {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the pool of pages is not yet %d MiB: %s", mib, resize)
}
