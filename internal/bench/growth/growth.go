// Package growth measures whether claims, duplicates, completions and pruning stay as
// fast when the table of records grows from ten thousand to ten million.
package growth

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver called "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver called "pgx"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

const connections = 64

// Database is one whose tables grow.
type Database struct {
	Name    string
	dialect idem.Dialect
	db      *sql.DB
	next    atomic.Uint64 // keys that were handed out
}

// Databases are Postgres and MariaDB.
func Databases(t testing.TB) []*Database {
	var out []*Database
	for _, d := range []struct {
		name, driver, source string
		dialect              idem.Dialect
	}{
		{"Postgres", "pgx", servers.Postgres(t).Database(t).DSN(), idem.Postgres},
		{"MariaDB", "mysql", servers.MariaDB(t).Database(t).DSN(), idem.MySQL},
	} {
		db, err := sql.Open(d.driver, d.source)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		out = append(out, &Database{Name: d.name, dialect: d.dialect, db: db})
	}
	return out
}

// loaded is the hash of record n of a table: what the databases make of it in bulk.
func loaded(n uint64) (hash [32]byte) {
	return sha256.Sum256(fmt.Append(nil, n))
}

// Load makes a table with so many records, of which a tenth has expired, and returns
// its store.
func (d *Database) Load(ctx context.Context, records int) (*sqlstore.Store, error) {
	table := fmt.Sprintf("records_%d", records)
	store := sqlstore.New(d.db, d.dialect, sqlstore.WithTable(table))
	if err := store.Migrate(ctx); err != nil {
		return nil, err
	}
	later, before := time.Now().Add(24*time.Hour).UnixMicro(), time.Now().Add(-time.Hour).UnixMicro()
	series, hash, numbers := fmt.Sprintf("generate_series(1, %d) AS s(n)", records), "sha256(convert_to(n::text, 'UTF8'))", "n"
	owner, result := "decode('00112233445566778899aabbccddeeff', 'hex')", `decode('7b7d', 'hex')`
	if d.dialect == idem.MySQL {
		series, hash, numbers = fmt.Sprintf("seq_1_to_%d", records), "UNHEX(SHA2(seq, 256))", "seq"
		owner, result = "UNHEX('00112233445566778899aabbccddeeff')", "'{}'"
	}
	query := fmt.Sprintf(`INSERT INTO %s (key_hash, key_text, owner, fence, state, orphan, codec, result, lease_until, expires_at, claimed_at)
		SELECT %s, CONCAT('bench.Service.Pay ', %[3]s), %[4]s, 1, 1, 1, 'json', %[5]s, NULL, CASE WHEN MOD(%[3]s, 10) = 0 THEN %[6]d ELSE %[7]d END, %[6]d FROM %[8]s ORDER BY 1`,
		table, hash, numbers, owner, result, before, later, series)
	if _, err := d.db.ExecContext(ctx, query); err != nil {
		return nil, fmt.Errorf("load %d records: %w", records, err)
	}
	analyze := "ANALYZE " + table
	if d.dialect == idem.MySQL {
		analyze = "ANALYZE TABLE " + table
	}
	_, err := d.db.ExecContext(ctx, analyze)
	return store, err
}

// Races are one race for each operation; its contestants are the sizes.
func (d *Database) Races(stores map[int]*sqlstore.Store, sizes []int, callers []int) []run.Race {
	race := func(name string, callers []int, op func(s *sqlstore.Store, size int) func(ctx context.Context, i int) error) run.Race {
		r := run.Race{Group: d.Name, Name: name, Unit: "operation", Callers: callers}
		for _, size := range sizes {
			r.Contestants = append(r.Contestants, run.Contestant{Name: fmt.Sprintf("%d records", size), Start: func(context.Context) (run.Running, error) {
				return run.Running{Op: op(stores[size], size)}, nil
			}})
		}
		return r
	}
	claim := func(hash [32]byte) idem.Claim {
		return idem.Claim{Key: idem.Key{Hash: hash, Readable: "bench.Service.Pay"}, Owner: idem.NewOwner(), Lease: time.Minute, Retention: time.Hour, Orphan: idem.OrphanRerun}
	}
	fresh := func() [32]byte { // nobody has had it
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], d.next.Add(1))
		return sha256.Sum256(b[:])
	}
	return []run.Race{
		race("claim of a fresh key", callers, func(s *sqlstore.Store, _ int) func(context.Context, int) error {
			return func(ctx context.Context, _ int) error {
				found, err := s.Claim(ctx, claim(fresh()))
				return expect(found, err, idem.Fresh)
			}
		}),
		race("claim and completion", callers, func(s *sqlstore.Store, _ int) func(context.Context, int) error {
			return func(ctx context.Context, _ int) error {
				c := claim(fresh())
				found, err := s.Claim(ctx, c)
				if err := expect(found, err, idem.Fresh); err != nil {
					return err
				}
				return s.Complete(ctx, idem.Hold{Key: c.Key, Owner: c.Owner, Fence: found.Record.Fence}, idem.Outcome{Kind: idem.Succeeded, Codec: "json", Data: []byte("{}")}, time.Hour)
			}
		}),
		race("a duplicate", callers, func(s *sqlstore.Store, size int) func(context.Context, int) error {
			return func(ctx context.Context, i int) error {
				n := uint64(i)*7919%uint64(size) + 1
				if n%10 == 0 { // expired
					n--
				}
				found, err := s.Claim(ctx, claim(loaded(n)))
				return expect(found, err, idem.Done)
			}
		}),
		race("pruning of 10 records", []int{1}, func(s *sqlstore.Store, _ int) func(context.Context, int) error {
			return func(ctx context.Context, _ int) error {
				_, err := s.Prune(ctx, 10)
				return err
			}
		}),
	}
}

func expect(found idem.Found, err error, want idem.ClaimStatus) error {
	if err == nil && found.Status != want {
		return errors.New("the claim is " + found.Status.String() + ", not " + want.String())
	}
	return err
}
