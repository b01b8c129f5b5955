package parser

import (
	"os"
	"testing"
)

// TestLaw_T9_TransactionsOfLibraries: the transaction types of the usual
// libraries are seen by their true import paths.
func TestLaw_T9_TransactionsOfLibraries(t *testing.T) {
	p := one(t, `
-- go.mod --
module example.com/m

go 1.26

require (
	github.com/jackc/pgx/v5 v5.0.0
	github.com/jmoiron/sqlx v1.0.0
	github.com/uptrace/bun v1.0.0
	gorm.io/gorm v1.0.0
)

replace (
	github.com/jackc/pgx/v5 => ./libs/pgx
	github.com/jmoiron/sqlx => ./libs/sqlx
	github.com/uptrace/bun => ./libs/bun
	gorm.io/gorm => ./libs/gorm
)
-- libs/pgx/go.mod --
module github.com/jackc/pgx/v5
-- libs/pgx/pgx.go --
package pgx

type Tx interface{ Commit() error }
-- libs/pgx/pgxpool/pool.go --
package pgxpool

type Tx struct{}
-- libs/sqlx/go.mod --
module github.com/jmoiron/sqlx
-- libs/sqlx/sqlx.go --
package sqlx

type Tx struct{}
-- libs/bun/go.mod --
module github.com/uptrace/bun
-- libs/bun/bun.go --
package bun

type Tx struct{}
-- libs/gorm/go.mod --
module gorm.io/gorm
-- libs/gorm/gorm.go --
package gorm

type DB struct{}
-- a.go --
package a

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
)

//idem:once key=id
func Pgx(id string, tx pgx.Tx, ctx context.Context) error { return nil }

//idem:once key=id
func Pool(id string, tx *pgxpool.Tx, ctx context.Context) error { return nil }

//idem:once key=id
func Sqlx(id string, tx *sqlx.Tx, ctx context.Context) error { return nil }

//idem:once key=id
func Bun(id string, tx bun.Tx, ctx context.Context) error { return nil }

//idem:once key=id
func Gorm(id string, db *gorm.DB, ctx context.Context) error { return nil }
`)
	if len(p.Funcs) != 5 {
		t.Fatalf("%d functions", len(p.Funcs))
	}
	for _, f := range p.Funcs {
		if f.TxParam != 1 || f.CtxParam != 2 {
			t.Errorf("%s: tx=%d ctx=%d", f.Name, f.TxParam, f.CtxParam)
		}
	}
}

// TestLaw_G7_GoCommandFails: what the go command says, and its advice, become
// one diagnostic.
func TestLaw_G7_GoCommandFails(t *testing.T) {
	dir := module(t, service)
	if err := os.WriteFile(dir+"/go.mod", []byte("module example.com/m\n\ngo 1.26\n\nbogus line\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, diags := parse(t, dir)
	if len(diags) != 1 || diags[0].Code != "IDEM602" {
		t.Errorf("diagnostics %v", diags)
	}
}
