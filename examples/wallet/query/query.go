// Package query reads and inserts accounts and entries with code that sqlc generated: one package per database from the same tables, sqlitedb, postgresdb and mysqldb.
//
// sqlc knows no versions, so no query of its updates an account: that is what account.AccountGuard is for. The two share the transaction and the row type; sqlc.yaml says how to generate this side.
package query

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/examples/wallet/account"
	"github.com/idemgen/idemgen/examples/wallet/query/mysqldb"
	"github.com/idemgen/idemgen/examples/wallet/query/postgresdb"
	"github.com/idemgen/idemgen/examples/wallet/query/sqlitedb"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Queries are the queries of one connection or transaction.
type Queries interface {
	// OpenAccount inserts an account in version 0.
	OpenAccount(ctx context.Context, id, holder string, balance, floor int64) error
	// GetAccount reads an account; sql.ErrNoRows when there is none.
	GetAccount(ctx context.Context, id string) (account.Account, error)
	// ListAccounts reads all accounts, by id.
	ListAccounts(ctx context.Context) ([]account.Account, error)
	// AddEntry writes one line of the journal: what a call did to an account.
	AddEntry(ctx context.Context, callID, account string, amount int64) error
}

// Conn is what queries run on: *sql.DB or *sql.Tx.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// On returns the queries of a dialect on a connection.
func On(d idem.Dialect, c Conn) Queries {
	switch d {
	case idem.Postgres:
		return adapter[postgresdb.Account]{postgresdb.New(c)}
	case idem.MySQL:
		return adapter[mysqldb.Account]{mysqldb.New(c)}
	}
	return adapter[sqlitedb.Account]{sqlitedb.New(c)}
}

// row is a row as sqlc has it: the fields of account.Account, without its tags.
type row interface {
	sqlitedb.Account | postgresdb.Account | mysqldb.Account
}

// generated is what sqlc makes, but for the type of its rows.
type generated[R row] interface {
	OpenAccount(ctx context.Context, id, holder string, balance, floor int64) error
	GetAccount(ctx context.Context, id string) (R, error)
	ListAccounts(ctx context.Context) ([]R, error)
	AddEntry(ctx context.Context, callID, account string, amount int64) error
}

// adapter gives all three one type of row.
type adapter[R row] struct{ q generated[R] }

func (a adapter[R]) OpenAccount(ctx context.Context, id, holder string, balance, floor int64) error {
	return a.q.OpenAccount(ctx, id, holder, balance, floor)
}

func (a adapter[R]) GetAccount(ctx context.Context, id string) (account.Account, error) {
	r, err := a.q.GetAccount(ctx, id)
	return account.Account(r), err
}

func (a adapter[R]) ListAccounts(ctx context.Context) ([]account.Account, error) {
	rows, err := a.q.ListAccounts(ctx)
	out := make([]account.Account, len(rows))
	for i, r := range rows {
		out[i] = account.Account(r)
	}
	return out, err
}

func (a adapter[R]) AddEntry(ctx context.Context, callID, account string, amount int64) error {
	return a.q.AddEntry(ctx, callID, account, amount)
}

//go:embed schema
var schemas embed.FS

// Migrate makes the tables where they are missing.
func Migrate(ctx context.Context, d idem.Dialect, db *sql.DB) error {
	text, err := schemas.ReadFile("schema/" + d.String() + ".sql")
	if err != nil {
		return fmt.Errorf("query: schema: %w", err)
	}
	for stmt := range strings.SplitSeq(string(text), ";") {
		if strings.TrimSpace(stmt) == "" {
			continue
		}
		if _, err := db.ExecContext(ctx, stmt); err != nil {
			return fmt.Errorf("query: schema: %w", err)
		}
	}
	return nil
}
