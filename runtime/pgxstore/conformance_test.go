package pgxstore_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/pgxstore"
	"github.com/jackc/pgx/v5"
)

// modes are all ways in which pgx talks to the server; the last two are the
// ones for a pooler that hands each transaction another connection.
var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

var levels = []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}

func TestRecordStore(t *testing.T) {
	for _, m := range modes {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t).process([]setting{mode(m)})
			idemtest.TestRecordStore(t, func(t *testing.T) idem.RecordStore { return f.store })
		})
	}
}

func TestTxStore(t *testing.T) {
	for _, level := range levels {
		t.Run(string(level), func(t *testing.T) {
			testTxStore(t, mode(pgx.QueryExecModeCacheStatement), level)
		})
	}
	for _, m := range modes[1:] {
		t.Run(m.String(), func(t *testing.T) { testTxStore(t, mode(m), pgx.ReadCommitted) })
	}
}

func testTxStore(t *testing.T, set setting, level pgx.TxIsoLevel) {
	t.Parallel()
	at := pgxstore.WithTxOptions(pgx.TxOptions{IsoLevel: level})
	f := newFixture(t, at)
	subject := idemtest.TxSubject[pgx.Tx]{
		Store:   f.process([]setting{set}, at).store,
		Other:   f.process([]setting{set}, at).store,
		One:     f.process([]setting{set, conns(1)}, at).store,
		Write:   func(ctx context.Context, tx pgx.Tx, id string) error { return write(ctx, tx, id) },
		Effects: f.effectsNow,
	}
	idemtest.TestTxStore(t, func(t *testing.T) idemtest.TxSubject[pgx.Tx] { return subject })
}
