package sqlstoretest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// firstSchema is what the first version of this package made: records alone.
var firstSchema = map[idem.Dialect][]string{
	idem.SQLite: {
		`CREATE TABLE "idem_records" (key_hash BLOB NOT NULL PRIMARY KEY, key_text TEXT NOT NULL, owner BLOB NOT NULL, fence INTEGER NOT NULL,
	state INTEGER NOT NULL, orphan INTEGER NOT NULL, fingerprint BLOB, codec TEXT NOT NULL, result BLOB, lease_until INTEGER, expires_at INTEGER,
	claimed_at INTEGER NOT NULL) WITHOUT ROWID`,
		`CREATE INDEX "idem_records_expires" ON "idem_records" (expires_at) WHERE expires_at IS NOT NULL`,
	},
	idem.Postgres: {
		`CREATE TABLE "idem_records" (key_hash bytea NOT NULL PRIMARY KEY, key_text text NOT NULL, owner bytea NOT NULL, fence bigint NOT NULL,
	state smallint NOT NULL, orphan smallint NOT NULL, fingerprint bytea, codec text NOT NULL, result bytea, lease_until bigint, expires_at bigint,
	claimed_at bigint NOT NULL)`,
		`CREATE INDEX "idem_records_expires" ON "idem_records" (expires_at) WHERE expires_at IS NOT NULL`,
	},
	idem.MySQL: {
		"CREATE TABLE `idem_records` (key_hash BINARY(32) NOT NULL PRIMARY KEY, key_text VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL, owner BINARY(16) NOT NULL, " +
			"fence BIGINT NOT NULL, state TINYINT NOT NULL, orphan TINYINT NOT NULL, fingerprint VARBINARY(64), codec VARCHAR(64) CHARACTER SET utf8mb4 NOT NULL, " +
			"result LONGBLOB, lease_until BIGINT, expires_at BIGINT, claimed_at BIGINT NOT NULL, KEY expires (expires_at)) ENGINE = InnoDB",
	},
}

// installFirst makes the tables as the first version left them.
func (f *fixture) installFirst() {
	f.Helper()
	for _, text := range firstSchema[f.on.dialect] {
		f.exec(text)
	}
	f.exec("CREATE TABLE idem_records_schema (version INTEGER NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)")
	f.exec("INSERT INTO idem_records_schema VALUES (1, 1)")
}

// versions is how many versions of a table are noted.
func (f *fixture) versions(table string) int {
	f.Helper()
	return f.count("SELECT COUNT(*) FROM " + table + "_schema")
}

// An installation of the first version is migrated in place, by several processes at
// once and under load: its records stay, and tokens and locks work beside them.
func TestMigrateFromTheFirstVersion(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		source := d.create(t)
		f := d.over(t, source, d.open(t, source))
		f.installFirst()
		kept, running := lockOn(t, idem.String("kept")), leased(claimOn(t, 0, idem.String("runs")), time.Minute, idem.OrphanHold)
		f.complete(kept.Key, "kept")
		if got, err := f.store.Claim(ctx, running); err != nil || got.Status != idem.Fresh {
			t.Fatal(got.Status, err)
		}
		var wg sync.WaitGroup
		for range 4 {
			p := f.process()
			wg.Go(func() {
				for range 2 {
					if err := sqlstore.Migrate(ctx, sqlstore.DB(p.db), d.dialect); err != nil {
						t.Errorf("migrate: %v", err)
					}
				}
			})
		}
		wg.Wait()
		for _, table := range []string{"idem_records", "idem_tokens", "idem_locks"} {
			if n := f.versions(table); n != 1 {
				t.Errorf("%s: %d versions noted", table, n)
			}
		}
		if n := f.count("SELECT applied_at FROM idem_records_schema"); n != 1 {
			t.Error("the table of records was made again")
		}
		tokens, locks := sqlstore.NewTokens(f.db, d.dialect), sqlstore.NewLocks(f.db, d.dialect)
		if err := tokens.Finish(ctx, consume(t, tokens, consumption(issue(t, tokens, 1)[0]), idem.TokenConsumed)); err != nil {
			t.Error(err)
		}
		acquire(t, locks, kept, idem.LockNeedless)
		if err := locks.Release(ctx, acquire(t, locks, lockOn(t, idem.String("runs")), idem.LockAcquired)); err != nil {
			t.Error(err)
		}
		if err := f.store.Complete(ctx, idem.Hold{Key: running.Key, Owner: running.Owner, Fence: 1}, done("1"), time.Hour); err != nil {
			t.Error(err)
		}
	})
}

// Who wants no tokens or no locks has no tables of them, and may have them later. A
// newer version of one table is left alone, and keeps none of the others back.
func TestMigrateByParts(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		ctx := context.Background()
		source := d.create(t)
		f := d.over(t, source, d.open(t, source))
		migrate := func(opts ...sqlstore.Option) {
			t.Helper()
			if err := sqlstore.Migrate(ctx, sqlstore.DB(f.db), d.dialect, opts...); err != nil {
				t.Fatal(err)
			}
		}
		missing := func(table string) {
			t.Helper()
			if _, err := f.db.Exec("SELECT 1 FROM " + table); err == nil {
				t.Errorf("%s was made", table)
			}
		}
		migrate(sqlstore.WithParts(sqlstore.PartLocks))
		missing("idem_records")
		missing("idem_tokens")
		locks := sqlstore.NewLocks(f.db, d.dialect, sqlstore.WithoutRecords())
		acquire(t, locks, lockOn(t, idem.String("K")), idem.LockAcquired)
		f.exec("INSERT INTO idem_locks_schema VALUES (1000, 0)")
		migrate(sqlstore.WithParts(sqlstore.PartLocks | sqlstore.PartRecords))
		missing("idem_tokens")
		f.complete(lockOn(t, idem.String("R")).Key, "1")
		migrate()
		issue(t, sqlstore.NewTokens(f.db, d.dialect), 1)
		if n := f.versions("idem_locks"); n != 2 {
			t.Errorf("%d versions of the locks", n)
		}
	})
}

// Schema's statements make what Migrate makes, and may run on what it made.
func TestSchemaByParts(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		source := d.create(t)
		f := d.over(t, source, d.open(t, source))
		for _, opts := range [][]sqlstore.Option{{sqlstore.WithParts(sqlstore.PartTokens)}, nil, nil} {
			schema := sqlstore.Schema(d.dialect, opts...)
			if opts != nil && (strings.Contains(schema, "idem_records") || strings.Contains(schema, "idem_locks")) {
				t.Errorf("more than tokens:\n%s", schema)
			}
			for text := range strings.SplitSeq(schema, ";\n") {
				if text != "" {
					f.exec(text)
				}
			}
		}
		if err := sqlstore.Migrate(context.Background(), sqlstore.DB(f.db), d.dialect); err != nil {
			t.Fatal(err)
		}
		tokens := f.tokens()
		consume(t, tokens, consumption(issue(t, tokens, 1)[0]), idem.TokenConsumed)
		acquire(t, f.locks(), lockOn(t, idem.String("K")), idem.LockAcquired)
	})
}

// Without prepared statements the same holds.
func TestTokensAndLocksWithoutPrepared(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		tokens, locks := f.tokens(sqlstore.WithoutPrepared()), f.locks(sqlstore.WithoutPrepared())
		id := issue(t, tokens, 3)[2]
		h := consume(t, tokens, consumption(id), idem.TokenConsumed)
		consume(t, tokens, consumption(id), idem.TokenRunning)
		if err := tokens.Burn(ctx, h); err != nil {
			t.Error(err)
		}
		r := lockOn(t, idem.String("K"))
		held := acquire(t, locks, r, idem.LockAcquired)
		acquire(t, locks, next(r), idem.LockBusy)
		if err := locks.Release(ctx, held); err != nil {
			t.Error(err)
		}
	})
}

// In a schema or an attached database the tables lie there, and so do their indexes.
func TestTokensAndLocksInASchema(t *testing.T) {
	on(t, []*database{sqliteFile, pgxOnPostgres, pqOnPostgres}, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		f.db.SetMaxOpenConns(1)
		if d.dialect == idem.SQLite {
			f.exec("ATTACH DATABASE ? AS shop", f.path()+".shop")
		} else {
			f.exec("CREATE SCHEMA shop")
		}
		opts := []sqlstore.Option{sqlstore.WithTable("shop.records"), sqlstore.WithTokenTable("shop.tokens"), sqlstore.WithLockTable("shop.locks")}
		if err := sqlstore.Migrate(ctx, sqlstore.DB(f.db), d.dialect, opts...); err != nil {
			t.Fatal(err)
		}
		issue(t, sqlstore.NewTokens(f.db, d.dialect, opts...), 1)
		acquire(t, sqlstore.NewLocks(f.db, d.dialect, opts...), lockOn(t, idem.String("K")), idem.LockAcquired)
		if f.count("SELECT COUNT(*) FROM shop.tokens") != 1 || f.count("SELECT COUNT(*) FROM shop.locks") != 1 {
			t.Error("a name with a schema is not in it")
		}
	})
}
