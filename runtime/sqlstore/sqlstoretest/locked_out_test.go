package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Two tables of one name, each found by the search path of its own pool, share no
// key: the lock of a key is that of the table's, under whatever name it goes.
func TestLaw_C14_TablesOfOneNameShareNoKey(t *testing.T) {
	on(t, []*database{pgxOnPostgres, pqOnPostgres}, func(t *testing.T, d *database) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		source := d.create(t)
		admin := d.open(t, source)
		in := func(schema string, opts ...sqlstore.Option) *fixture {
			path := source + "&search_path=" + schema
			if !strings.Contains(source, "?") {
				path = source + "?search_path=" + schema
			}
			return d.over(t, path, d.open(t, path), opts...)
		}
		for _, schema := range []string{"one", "two"} {
			if _, err := admin.Exec("CREATE SCHEMA " + schema); err != nil {
				t.Fatal(err)
			}
			if err := in(schema).store.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
		}
		holder, stranger := in("one"), in("two")
		named := in("two", sqlstore.WithTable("one.idem_records"))
		asks := func(f *fixture, want idem.ClaimStatus) {
			t.Helper()
			got, err := f.store.InTx(ctx, claimOn(t, 0, idem.String("K")), func(context.Context, *sql.Tx) (idem.Outcome, error) { return done("1"), nil })
			if err != nil || got.Status != want {
				t.Errorf("%v, %v, want %v", got.Status, err, want)
			}
		}
		_, err := holder.store.InTx(ctx, claimOn(t, 0, idem.String("K")), func(context.Context, *sql.Tx) (idem.Outcome, error) {
			asks(stranger, idem.Fresh)
			asks(named, idem.Running) // told at once, as by its other name
			return done("1"), nil
		})
		if err != nil {
			t.Error(err)
		}
		asks(named, idem.Done)
	})
}

// A server that rolls back all of a transaction when a lock was not to be had leaves
// the session in autocommit: a joined call that waited for its key does not go on
// there, and says that the transaction must be run again.
func TestLaw_T1_JoinedCallDoesNotOutliveItsTransaction(t *testing.T) {
	ctx := context.Background()
	f := mariaDB.fixtureOn(t, servers.NewMariaDB(t, servers.Setting("innodb_rollback_on_timeout", "ON")))
	for _, wait := range []time.Duration{0, 10 * time.Second} {
		there := f.process()
		refused := errors.New("refused")
		release := slow(there, sqlKind(there), claimOn(t, 0, idem.String("K")), "K", refused)
		tx, err := f.db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.effect(ctx, tx, "before"); err != nil {
			t.Fatal(err)
		}
		released := make(chan struct{})
		time.AfterFunc(300*time.Millisecond, func() { defer close(released); release() })
		_, err = f.store.Join(ctx, tx, claimOn(t, wait, idem.String("K")), sqlKind(f).body("K"))
		if !errors.Is(err, idem.ErrRetryTransaction) {
			t.Errorf("wait %v: %v", wait, err)
		}
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
		<-released
		if n := f.count("SELECT COUNT(*) FROM effects") + f.count("SELECT COUNT(*) FROM idem_records"); n != 0 {
			t.Errorf("wait %v: %d rows stay", wait, n)
		}
		f.exec("DELETE FROM effects")
		f.exec("DELETE FROM idem_records")
	}
}

// An error number of MySQL is not read as a code of SQLite, whatever its low byte
// is: a table that exists would be a file that is no database (C12).
func TestLaw_C12_NumbersAreThoseOfTheirDriver(t *testing.T) {
	for n, want := range map[uint16]sqlstore.Class{
		1029: sqlstore.ClassOther, 1030: sqlstore.ClassOther, 1050: sqlstore.ClassOther, 1285: sqlstore.ClassOther,
		1288: sqlstore.ClassOther, 1294: sqlstore.ClassOther, 1295: sqlstore.ClassOther, 1555: sqlstore.ClassOther,
		1205: sqlstore.ClassRetry, 1213: sqlstore.ClassRetry,
		1047: sqlstore.ClassUnavailable, 1290: sqlstore.ClassUnavailable, 4031: sqlstore.ClassUnavailable,
	} {
		err := &mysql.MySQLError{Number: n, Message: "UNIQUE constraint failed: a.b"}
		if class, _ := sqlstore.Classify(err); class != want {
			t.Errorf("%d: class %d, want %d", n, class, want)
		}
		if index, ok := sqlstore.UniqueViolation(err); ok {
			t.Errorf("%d: a violation of %q", n, index)
		}
	}
}

// A server that ends a session because its transaction was idle for too long is one
// that can't be reached, like one that ends it for any other reason (C15).
func TestLaw_C15_IdleTransactionIsEnded(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		f := d.fixture(t)
		short := map[idem.Dialect]string{
			idem.Postgres: "SET LOCAL idle_in_transaction_session_timeout = 50",
			idem.MySQL:    "SET SESSION idle_transaction_timeout = 1",
		}[d.dialect]
		_, err := guarded(context.Background(), f, "op", "K", func(ctx context.Context, tx *sql.Tx) (string, error) {
			if _, err := tx.ExecContext(ctx, short); err != nil {
				return "", err
			}
			err := f.effect(ctx, tx, "K")
			time.Sleep(2 * time.Second)
			return "done", err
		})
		if !errors.Is(err, idem.ErrStoreUnavailable) || f.effects("K") != 0 {
			t.Errorf("%d effects, %v", f.effects("K"), err)
		}
	})
}

// asked is a transaction in which something happens before a query is sent.
type asked struct {
	idem.DB
	before func(query string)
}

func (a asked) Query(ctx context.Context, query string, args ...any) (idem.Rows, error) {
	a.before(query)
	return a.DB.Query(ctx, query, args...)
}

// The winner commits between the claim that it locked out and the question whose lock
// that was: the loser replays, and its transaction need not be run again (C11).
func TestLaw_C11_WinnerCommitsWhileTheLoserAsks(t *testing.T) {
	ctx := context.Background()
	for _, joined := range []bool{false, true} {
		for _, fail := range []error{nil, errors.New("refused")} {
			f := mariaDB.fixture(t)
			there := f.process()
			release := slow(there, sqlKind(there), claimOn(t, 0, idem.String("K")), "K", fail)
			once := sync.OnceFunc(release)
			store := sqlstore.NewTx(idem.MySQL, f.store.Begin, func(_ context.Context, tx *sql.Tx) idem.DB {
				return asked{sqlstore.DB(tx), func(query string) {
					if strings.HasSuffix(query, "NOWAIT") {
						once()
					}
				}}
			})
			c, body := claimOn(t, time.Minute, idem.String("K")), sqlKind(f).body("K")
			var got idem.Found
			var err error
			if joined {
				err = store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
					got, err = store.Join(ctx, tx, c, body)
					return err
				})
			} else {
				got, err = store.InTx(ctx, c, body)
			}
			once()
			want := idem.Done
			if fail != nil { // nobody has the key any more
				want = idem.Fresh
			}
			retried := !joined && fail != nil && errors.Is(err, idem.ErrRetryTransaction) // the core's to do
			if !retried && (err != nil || got.Status != want) {
				t.Errorf("joined %v, winner %v: %v, %v, want %v", joined, fail, got.Status, err, want)
			}
		}
	}
}
