package sqlstoretest

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Transactions of other libraries, each by its two functions, begin and use. The
// documentation of package sqlstore shows them in these words.

func TestTxStoreOfLibraries(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		t.Run("gorm", func(t *testing.T) { suite(t, d, gormKind) })
		t.Run("gorm, PrepareStmt", func(t *testing.T) { suite(t, d, preparedGormKind) })
		t.Run("sqlx", func(t *testing.T) { suite(t, d, sqlxKind) })
		t.Run("bun", func(t *testing.T) { suite(t, d, bunKind) })
		t.Run("ent", func(t *testing.T) { suite(t, d, entKind) })
	})
}

// What the documentation shows is what is tested here, word by word.
func TestDocumentationShowsWhatIsTested(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tested := read("libraries_test.go") + read("kinds_test.go")
	shown := regexp.MustCompile(`(?m)^//\tbegin := func(.*\n)*?//\tuse := .*\n`).FindAllString(read("../doc.go"), -1)
	for _, block := range shown {
		if code := strings.ReplaceAll("\n"+block, "\n//", "\n"); !strings.Contains(tested, strings.TrimSuffix(code, "\n")) {
			t.Errorf("no test has these words:%s", code)
		}
	}
	if len(shown) != 5 {
		t.Errorf("the documentation shows %d kinds of transactions", len(shown))
	}
}

func gormKind(f *fixture) kind[*gorm.DB] { return gormWith(f, gorm.Config{}) }

func preparedGormKind(f *fixture) kind[*gorm.DB] { return gormWith(f, gorm.Config{PrepareStmt: true}) }

// gormWith is *gorm.DB.
func gormWith(f *fixture, config gorm.Config) kind[*gorm.DB] {
	f.Helper()
	config.Logger = logger.Discard
	opened := map[idem.Dialect]gorm.Dialector{
		idem.Postgres: postgres.New(postgres.Config{Conn: f.db}),
		idem.MySQL:    mysql.New(mysql.Config{Conn: f.db}),
	}[f.on.dialect]
	db, err := gorm.Open(opened, &config)
	if err != nil {
		f.Fatal(err)
	}
	begin := func(ctx context.Context, body func(context.Context, *gorm.DB) error) error {
		return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return body(ctx, tx) })
	}
	use := func(_ context.Context, tx *gorm.DB) idem.DB { return sqlstore.DB(tx.Statement.ConnPool) }
	return kind[*gorm.DB]{
		store: sqlstore.NewTx(f.on.dialect, begin, use),
		write: func(ctx context.Context, tx *gorm.DB, id string) error {
			return tx.WithContext(ctx).Table("effects").Create(map[string]any{"id": []byte(id), "n": 1}).Error
		},
	}
}

// sqlxKind is *sqlx.Tx.
func sqlxKind(f *fixture) kind[*sqlx.Tx] {
	db := sqlx.NewDb(f.db, map[idem.Dialect]string{idem.Postgres: "pgx", idem.MySQL: "mysql"}[f.on.dialect])
	begin := func(ctx context.Context, body func(context.Context, *sqlx.Tx) error) error {
		tx, err := db.BeginTxx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // after a commit it does nothing
		if err := body(ctx, tx); err != nil {
			return err
		}
		return tx.Commit()
	}
	use := func(_ context.Context, tx *sqlx.Tx) idem.DB { return sqlstore.DB(tx) }
	return kind[*sqlx.Tx]{
		store: sqlstore.NewTx(f.on.dialect, begin, use),
		write: func(ctx context.Context, tx *sqlx.Tx, id string) error {
			_, err := tx.NamedExecContext(ctx, "INSERT INTO effects (id, n) VALUES (:id, 1)", map[string]any{"id": []byte(id)})
			return err
		},
	}
}

// bunKind is bun.Tx.
func bunKind(f *fixture) kind[bun.Tx] {
	dialects := map[idem.Dialect]schema.Dialect{idem.Postgres: pgdialect.New(), idem.MySQL: mysqldialect.New()}
	db := bun.NewDB(f.db, dialects[f.on.dialect])
	begin := func(ctx context.Context, body func(context.Context, bun.Tx) error) error {
		return db.RunInTx(ctx, nil, body)
	}
	use := func(_ context.Context, tx bun.Tx) idem.DB { return sqlstore.DB(tx.Tx) }
	return kind[bun.Tx]{
		store: sqlstore.NewTx(f.on.dialect, begin, use),
		write: func(ctx context.Context, tx bun.Tx, id string) error {
			_, err := tx.NewRaw("INSERT INTO effects (id, n) VALUES (?, 1)", []byte(id)).Exec(ctx)
			return err
		},
	}
}

// entKind is the transaction below an ent client's.
func entKind(f *fixture) kind[dialect.Tx] {
	name := map[idem.Dialect]string{idem.Postgres: dialect.Postgres, idem.MySQL: dialect.MySQL}[f.on.dialect]
	driver := entsql.OpenDB(name, f.db)
	begin := func(ctx context.Context, body func(context.Context, dialect.Tx) error) error {
		tx, err := driver.Tx(ctx)
		if err != nil {
			return err
		}
		defer tx.Rollback() // after a commit it does nothing
		if err := body(ctx, tx); err != nil {
			return err
		}
		return tx.Commit()
	}
	use := func(_ context.Context, tx dialect.Tx) idem.DB { return sqlstore.DB(tx.(*entsql.Tx)) }
	return kind[dialect.Tx]{
		store: sqlstore.NewTx(f.on.dialect, begin, use),
		write: func(ctx context.Context, tx dialect.Tx, id string) error {
			query, args := entsql.Dialect(name).Insert("effects").Columns("id", "n").Values([]byte(id), 1).Query()
			return tx.Exec(ctx, query, args, nil)
		},
	}
}
