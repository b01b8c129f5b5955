package sqlstoretest

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Transactions of other libraries, each by its two functions, through the laws
// of transactions.

// gormKind is *gorm.DB: its Transaction, and the connection of its statement.
func gormKind(f *fixture) kind[*gorm.DB] {
	f.Helper()
	db, err := gorm.Open(mysql.New(mysql.Config{Conn: f.db}), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		f.Fatal(err)
	}
	begin := func(ctx context.Context, body func(context.Context, *gorm.DB) error) error {
		return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return body(ctx, tx) })
	}
	use := func(_ context.Context, tx *gorm.DB) idem.DB { return sqlstore.DB(tx.Statement.ConnPool) }
	return kind[*gorm.DB]{
		store: sqlstore.NewTx(idem.MySQL, begin, use),
		write: func(ctx context.Context, tx *gorm.DB, id string) error {
			return tx.WithContext(ctx).Exec("INSERT INTO effects (id, n) VALUES (?, 1)", id).Error
		},
	}
}

// sqlxKind is *sqlx.Tx, which is a *sql.Tx inside.
func sqlxKind(f *fixture) kind[*sqlx.Tx] {
	db := sqlx.NewDb(f.db, "pgx")
	begin := func(ctx context.Context, body func(context.Context, *sqlx.Tx) error) error {
		tx, err := db.BeginTxx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if err := body(ctx, tx); err != nil {
			return err
		}
		return tx.Commit()
	}
	use := func(_ context.Context, tx *sqlx.Tx) idem.DB { return sqlstore.DB(tx) }
	return kind[*sqlx.Tx]{
		store: sqlstore.NewTx(idem.Postgres, begin, use),
		write: func(ctx context.Context, tx *sqlx.Tx, id string) error {
			_, err := tx.NamedExecContext(ctx, "INSERT INTO effects (id, n) VALUES (:id, 1)", map[string]any{"id": []byte(id)})
			return err
		},
	}
}

// bunKind is bun.Tx. Its own methods write values into the text; the *sql.Tx
// inside takes them as they are.
func bunKind(f *fixture) kind[bun.Tx] {
	db := bun.NewDB(f.db, pgdialect.New())
	begin := func(ctx context.Context, body func(context.Context, bun.Tx) error) error {
		return db.RunInTx(ctx, nil, body)
	}
	use := func(_ context.Context, tx bun.Tx) idem.DB { return sqlstore.DB(tx.Tx) }
	return kind[bun.Tx]{
		store: sqlstore.NewTx(idem.Postgres, begin, use),
		write: func(ctx context.Context, tx bun.Tx, id string) error {
			_, err := tx.NewRaw("INSERT INTO effects (id, n) VALUES (?, 1)", []byte(id)).Exec(ctx)
			return err
		},
	}
}

// lawsOf runs the laws of transactions for one kind of them.
func lawsOf[T any](t *testing.T, d *database, of func(*fixture) kind[T]) {
	for _, law := range []struct {
		name string
		test func(*fixture, kind[T])
	}{
		{"T1_OneTransaction", oneTransaction[T]},
		{"T1_PanicAndGoexitRollBack", panics[T]},
		{"T1_EndedContextRollsBack", endedContext[T]},
		{"T9_JoinLeavesNothingOnError", joins[T]},
		{"T9_PoolOfOne", poolOfOne[T]},
		{"C7_WaitBoundsTheBlocking", waits[T]},
	} {
		t.Run(law.name, func(t *testing.T) {
			f := d.fixture(t)
			law.test(f, of(f))
		})
	}
}

func TestTransactionsOfGorm(t *testing.T) { lawsOf(t, mariaDB, gormKind) }

func TestTransactionsOfSqlx(t *testing.T) { lawsOf(t, pgxOnPostgres, sqlxKind) }

func TestTransactionsOfBun(t *testing.T) { lawsOf(t, pgxOnPostgres, bunKind) }
