package pgxstore_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type status string

// The adapter gives what guards read: rows matched, values of types of their own,
// NULLs, and errors that show up late.
func TestDBAdaptsEverythingOfPgx(t *testing.T) {
	for _, m := range modes {
		f := newFixture(t).process([]setting{mode(m)})
		err := f.pool.AcquireFunc(f.ctx, func(conn *pgxpool.Conn) error {
			return pgx.BeginFunc(f.ctx, conn, func(tx pgx.Tx) error {
				for _, db := range []idem.DB{pgxstore.DB(tx), pgxstore.DB(conn), pgxstore.DB(conn.Conn()), pgxstore.DB(f.pool)} {
					if err := adapts(f.ctx, t, db); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if err != nil {
			t.Errorf("%v: %v", m, err)
		}
		f.has("paid", 4)
		f.idle()
	}
}

func adapts(ctx context.Context, t *testing.T, db idem.DB) error {
	t.Helper()
	res, err := db.Exec(ctx, "INSERT INTO effects (id, n) VALUES ($1, $2), ('other', 2)", status("paid"), int64(7))
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	if _, err := res.LastInsertId(); err == nil || !strings.Contains(err.Error(), "RETURNING") {
		t.Errorf("a last insert id: %v", err)
	}
	rows, err := db.Query(ctx, "SELECT id, NULL::bigint, n FROM effects WHERE id = $1", status("paid"))
	if err != nil {
		return err
	}
	for rows.Next() {
		var id status
		var none *int64
		var n int64
		if err := rows.Scan(&id, &none, &n); err != nil || id != "paid" || none != nil || n != 7 {
			t.Errorf("%q, %v, %d, %v", id, none, n, err)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, "DELETE FROM effects WHERE id = 'other'"); err != nil {
		return err
	}
	return nil
}

// An error behind the first rows is found by whoever closes without reading on.
func TestDBTellsLateErrors(t *testing.T) {
	f := newFixture(t)
	rows, err := pgxstore.DB(f.pool).Query(f.ctx, "SELECT 1 / (3 - i) FROM generate_series(1, 5) AS i")
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Error("no first row")
	}
	if err := rows.Close(); err == nil {
		t.Error("the division by zero is lost")
	}
	f.idle()
}

// Several statements of a guard are one transaction on a pool, and on a connection
// in or outside of one (S9).
func TestLaw_S9_SeveralStatementsAreAtomic(t *testing.T) {
	f := newFixture(t)
	onConn := func(in func(c *pgxpool.Conn, run func() error) error) func(func(idem.DB) error) error {
		return func(use func(idem.DB) error) error {
			return f.pool.AcquireFunc(f.ctx, func(c *pgxpool.Conn) error {
				return errors.Join(in(c, func() error { return use(pgxstore.DB(c)) }), in(c, func() error { return use(pgxstore.DB(c.Conn())) }))
			})
		}
	}
	handles := map[string]func(use func(idem.DB) error) error{
		"pool": func(use func(idem.DB) error) error {
			return errors.Join(use(pgxstore.DB(f.pool)), use(pgxstore.DB(f.pool)))
		},
		"connection": onConn(func(_ *pgxpool.Conn, run func() error) error { return run() }),
		"connection in a transaction": onConn(func(c *pgxpool.Conn, run func() error) error {
			return pgx.BeginFunc(f.ctx, c, func(pgx.Tx) error { return run() })
		}),
	}
	for name, with := range handles {
		err := with(func(db idem.DB) error {
			a, can := db.(idem.Atomic)
			if !can {
				t.Fatalf("%s: it can't begin", name)
			}
			twice := func(then func() error) func(context.Context, idem.DB) error {
				return func(ctx context.Context, db idem.DB) error {
					for range 2 {
						if _, err := db.Exec(ctx, "INSERT INTO effects (id, n) VALUES ($1, 1)", name); err != nil {
							return err
						}
					}
					return then()
				}
			}
			if err := a.Atomically(f.ctx, twice(func() error { return errBusiness })); !errors.Is(err, errBusiness) {
				t.Errorf("%s: %v", name, err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = a.Atomically(f.ctx, twice(func() error { runtime.Goexit(); return nil }))
			}()
			<-ended
			return a.Atomically(f.ctx, twice(func() error { return nil }))
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.has(name, 4)
	}
	err := f.pool.AcquireFunc(f.ctx, func(c *pgxpool.Conn) error { // it is not committed before its time
		return pgx.BeginFunc(f.ctx, c, func(pgx.Tx) error {
			return errors.Join(errBusiness, pgxstore.DB(c).(idem.Atomic).Atomically(f.ctx, func(ctx context.Context, db idem.DB) error {
				_, err := db.Exec(ctx, "INSERT INTO effects (id, n) VALUES ('early', 1)")
				return err
			}))
		})
	})
	if !errors.Is(err, errBusiness) {
		t.Error(err)
	}
	f.has("early", 0)
	for name, begin := range begun {
		err := begin(f, func(tx pgx.Tx) error {
			if _, can := pgxstore.DB(tx).(idem.Atomic); can {
				t.Errorf("%s: a transaction begins another one", name)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	f.idle()
}

// A refused transaction is made again (T3).
func TestLaw_T3_AtomicStatementsAreTriedAgain(t *testing.T) {
	f := newFixture(t)
	tries := 0
	err := pgxstore.DB(f.pool).(idem.Atomic).Atomically(f.ctx, func(ctx context.Context, db idem.DB) error {
		if tries++; tries == 3 {
			_, err := db.Exec(ctx, "INSERT INTO effects (id, n) VALUES ('K', 1)")
			return err
		}
		_, err := db.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'serialization_failure'; END $$")
		return err
	})
	if err != nil || tries != 3 {
		t.Errorf("%v, %d tries", err, tries)
	}
	f.has("K", 1)
}
