package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Transactions of three kinds: the one of database/sql, a unit of work of
// somebody's own making, and one that travels in the context.

// unitOfWork wraps a connection the way home-grown libraries do: raw BEGIN,
// raw COMMIT, errors wrapped on the way out.
type unitOfWork struct {
	conn  *sql.Conn
	f     *fixture
	saved int
}

func (u *unitOfWork) Save(ctx context.Context, id string) error {
	u.saved++
	return u.f.effect(ctx, u.conn, id)
}

var beginWord = [...]string{idem.SQLite: "BEGIN IMMEDIATE", idem.Postgres: "BEGIN", idem.MySQL: "BEGIN"}

// inUnit runs body in a unit of work.
func inUnit(f *fixture) sqlstore.BeginFunc[*unitOfWork] {
	return func(ctx context.Context, body func(context.Context, *unitOfWork) error) (err error) {
		conn, err := f.db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := conn.ExecContext(ctx, beginWord[f.on.dialect]); err != nil {
			return fmt.Errorf("unit of work: %w", err)
		}
		open := true
		detached := context.WithoutCancel(ctx)
		defer func() {
			if open {
				conn.ExecContext(detached, "ROLLBACK")
			}
		}()
		if err := body(ctx, &unitOfWork{conn: conn, f: f}); err != nil {
			return errors.New("unit of work failed") // the error is lost on purpose
		}
		if f.on.dialect == idem.Postgres { // a COMMIT would be answered by ROLLBACK, without an error
			if _, err := conn.ExecContext(detached, "SELECT 1"); err != nil {
				return fmt.Errorf("unit of work: %w", err)
			}
		}
		if _, err := conn.ExecContext(detached, "COMMIT"); err != nil {
			return fmt.Errorf("unit of work: %w", err)
		}
		open = false
		return nil
	}
}

// txInContext is how the third kind travels.
type txInContext struct{}

func fromContext(ctx context.Context) *sql.Tx { return ctx.Value(txInContext{}).(*sql.Tx) }

// carried are its two functions.
func carried(db *sql.DB) (sqlstore.BeginFunc[struct{}], func(context.Context, struct{}) idem.DB) {
	begin := func(ctx context.Context, body func(context.Context, struct{}) error) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // after a commit it does nothing
		if err := body(context.WithValue(ctx, txInContext{}, tx), struct{}{}); err != nil {
			return err
		}
		return tx.Commit()
	}
	use := func(ctx context.Context, _ struct{}) idem.DB { return sqlstore.DB(ctx.Value(txInContext{}).(*sql.Tx)) }
	return begin, use
}

// kind is a store for one kind of transactions, and what a business method
// does with such a transaction.
type kind[T any] struct {
	store idem.TxStore[T]
	write func(ctx context.Context, tx T, id string) error
}

func sqlKind(f *fixture) kind[*sql.Tx] {
	return kind[*sql.Tx]{
		store: f.store,
		write: func(ctx context.Context, tx *sql.Tx, id string) error { return f.effect(ctx, tx, id) },
	}
}

func unitKind(f *fixture) kind[*unitOfWork] {
	use := func(_ context.Context, u *unitOfWork) idem.DB { return sqlstore.DB(u.conn) }
	return kind[*unitOfWork]{
		store: sqlstore.NewTx(f.on.dialect, inUnit(f), use),
		write: func(ctx context.Context, u *unitOfWork, id string) error { return u.Save(ctx, id) },
	}
}

func contextKind(f *fixture) kind[struct{}] { return carriedKind(f) }

func carriedKind(f *fixture, opts ...sqlstore.Option) kind[struct{}] {
	begin, use := carried(f.db)
	return kind[struct{}]{
		store: sqlstore.NewTx(f.on.dialect, begin, use, opts...),
		write: func(ctx context.Context, _ struct{}, id string) error { return f.effect(ctx, fromContext(ctx), id) },
	}
}

func autocommitKind(f *fixture) kind[struct{}] {
	return carriedKind(f, sqlstore.WithAutocommit(sqlstore.DB(f.db)))
}

var errBusiness = errors.New("sold out")

// body is a business method that writes its effect and succeeds.
func (k kind[T]) body(id string) func(context.Context, T) (idem.Outcome, error) {
	return func(ctx context.Context, tx T) (idem.Outcome, error) {
		if err := k.write(ctx, tx, id); err != nil {
			return idem.Outcome{}, err
		}
		return done(id), nil
	}
}

// failing writes its effect and fails with err.
func (k kind[T]) failing(id string, err error) func(context.Context, T) (idem.Outcome, error) {
	return func(ctx context.Context, tx T) (idem.Outcome, error) {
		return idem.Outcome{}, errors.Join(k.write(ctx, tx, id), err)
	}
}

// absent checks that a key has neither a record nor an effect.
func absent[T any](f *fixture, k kind[T], c idem.Claim, id string) {
	f.Helper()
	got, err := k.store.Lookup(context.Background(), c.Key)
	if err != nil || got.Status != idem.Absent {
		f.Errorf("%s: %v, %v after a rollback", id, got.Status, err)
	}
	if n := f.effects(id); n != 0 {
		f.Errorf("%s: %d effects after a rollback", id, n)
	}
}
