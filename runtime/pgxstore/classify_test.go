package pgxstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// unsent is an error as pgx makes it before anything was sent.
type unsent struct{ error }

func (e unsent) Unwrap() error     { return e.error }
func (e unsent) SafeToRetry() bool { return true }

// What an error means, and whether it says for certain that a COMMIT has not
// happened.
func TestLaw_T8_WhatErrorsSay(t *testing.T) {
	classify := configure(nil).classify
	state := func(code string) error { return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}) }
	for _, c := range []struct {
		err     error
		class   sqlstore.Class
		certain bool
	}{
		{state("40001"), sqlstore.ClassRetry, true},
		{state("40P01"), sqlstore.ClassRetry, true},
		{state("23505"), sqlstore.ClassOther, true},
		{state("57P01"), sqlstore.ClassUnavailable, false},
		{state("25006"), sqlstore.ClassUnavailable, true},
		{pgx.ErrTxCommitRollback, sqlstore.ClassOther, true},
		{pgconn.ErrConnClosed, sqlstore.ClassUnavailable, false},
		{unsent{pgconn.ErrConnClosed}, sqlstore.ClassUnavailable, true},
		{unsent{errors.New("conn busy")}, sqlstore.ClassOther, true},
		{unsent{context.DeadlineExceeded}, sqlstore.ClassOther, true},
		{context.DeadlineExceeded, sqlstore.ClassOther, false},
		{io.ErrUnexpectedEOF, sqlstore.ClassUnavailable, false},
		{fmt.Errorf("acquire: %w", puddle.ErrClosedPool), sqlstore.ClassUnavailable, true},
		{errEnded, sqlstore.ClassOther, true},
		{errors.New("anything"), sqlstore.ClassOther, false},
	} {
		if class, certain := classify(c.err); class != c.class || certain != c.certain {
			t.Errorf("%v: class %d, certain %v; want %d, %v", c.err, class, certain, c.class, c.certain)
		}
	}
}

func TestReadOnlyTransactionsAreRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New took them")
		}
	}()
	New(nil, WithTxOptions(pgx.TxOptions{AccessMode: pgx.ReadOnly}))
}
