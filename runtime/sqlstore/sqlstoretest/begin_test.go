package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// shaped is the context-carried kind with a begin of another shape around it.
func shaped(f *fixture, shape func(inner sqlstore.BeginFunc[struct{}]) sqlstore.BeginFunc[struct{}]) kind[struct{}] {
	k := contextKind(f)
	begin, use := carried(f.db)
	k.store = sqlstore.NewTx(f.on.dialect, shape(begin), use, sqlstore.WithAutocommit(sqlstore.DB(f.db)))
	return k
}

type inner = sqlstore.BeginFunc[struct{}]

// Some libraries run a body several times. Each run starts from nothing, and
// only the one that was committed counts.
func TestBeginThatRunsItsBodyAgain(t *testing.T) { on(t, oneOfEach, testBeginThatRunsItsBodyAgain) }

func testBeginThatRunsItsBodyAgain(t *testing.T, d *database) {
	ctx := context.Background()
	f := d.fixture(t)
	k := shaped(f, func(begin inner) inner {
		return func(ctx context.Context, body func(context.Context, struct{}) error) error {
			err := begin(ctx, func(ctx context.Context, tx struct{}) error {
				return errors.Join(body(ctx, tx), errors.New("serialization failure at the end"))
			})
			if err != nil {
				err = begin(ctx, body)
			}
			return err
		}
	})
	c := claimOn(t, 0, idem.String("K"))
	fails := true
	got, err := k.store.InTx(ctx, c, func(ctx context.Context, tx struct{}) (idem.Outcome, error) {
		out, err := k.body("K")(ctx, tx)
		if fails {
			fails, err = false, errors.Join(err, errBusiness)
		}
		return out, err
	})
	if err != nil || got.Status != idem.Fresh || f.effects("K") != 1 {
		t.Errorf("%v, %v, %d effects", got.Status, err, f.effects("K"))
	}
}

// A begin that breaks its promise is told so: nobody knows what it committed.
func TestBeginThatBreaksItsPromise(t *testing.T) { on(t, oneOfEach, testBeginThatBreaksItsPromise) }

func testBeginThatBreaksItsPromise(t *testing.T, d *database) {
	ctx := context.Background()
	f := d.fixture(t)
	swallows := shaped(f, func(begin inner) inner {
		return func(ctx context.Context, body func(context.Context, struct{}) error) error {
			begin(ctx, body)
			return nil
		}
	})
	_, err := swallows.store.InTx(ctx, claimOn(t, 0, idem.String("K")), swallows.failing("K", errBusiness))
	if !errors.Is(err, errBusiness) || !strings.Contains(err.Error(), "begin returned nil though its body failed") {
		t.Errorf("an error that is swallowed: %v", err)
	}
	never := shaped(f, func(inner) inner {
		return func(context.Context, func(context.Context, struct{}) error) error { return nil }
	})
	got, err := never.store.InTx(ctx, claimOn(t, 0, idem.String("K")), never.body("K"))
	if err == nil || got.Status == idem.Fresh {
		t.Errorf("a body that never ran: %v, %v", got.Status, err)
	}
}

// A replay is no error to the library that runs the transaction.
func TestReplayReturnsNilFromTheBody(t *testing.T) { on(t, oneOfEach, testReplayReturnsNilFromTheBody) }

func testReplayReturnsNilFromTheBody(t *testing.T, d *database) {
	ctx := context.Background()
	f := d.fixture(t)
	failed := 0
	k := shaped(f, func(begin inner) inner {
		return func(ctx context.Context, body func(context.Context, struct{}) error) error {
			err := begin(ctx, body)
			if err != nil {
				failed++
			}
			return err
		}
	})
	c := claimOn(t, 0, idem.String("K"))
	for _, want := range []idem.ClaimStatus{idem.Fresh, idem.Done} {
		if got, err := k.store.InTx(ctx, c, k.body("K")); err != nil || got.Status != want {
			t.Errorf("%v, %v", got.Status, err)
		}
		c.Owner = idem.NewOwner()
	}
	if failed != 0 {
		t.Errorf("%d errors counted", failed)
	}
}

// A call that found another's outcome has nothing to commit. Whatever becomes of
// the commit, here because the context ends, its answer counts.
func TestLaw_C7_EmptyCommitLosesNoAnswer(t *testing.T) { on(t, oneOfEach, emptyCommitLosesNoAnswer) }

func emptyCommitLosesNoAnswer(t *testing.T, d *database) {
	f := d.fixture(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	k := shaped(f, func(begin inner) inner {
		return func(ctx context.Context, body func(context.Context, struct{}) error) error {
			return begin(ctx, func(ctx context.Context, tx struct{}) error {
				err := body(ctx, tx)
				cancel()
				for !errors.Is(f.effect(context.Background(), fromContext(ctx), "late"), sql.ErrTxDone) {
					time.Sleep(time.Millisecond) // until database/sql has rolled back
				}
				return err
			})
		}
	})
	c := claimOn(t, 0, idem.String("K"))
	if _, err := f.store.InTx(context.Background(), c, sqlKind(f).body("K")); err != nil {
		t.Fatal(err)
	}
	c.Owner = idem.NewOwner()
	got, err := k.store.InTx(ctx, c, k.body("K"))
	if err != nil || got.Status != idem.Done || string(got.Record.Outcome.Data) != "K" {
		t.Errorf("a duplicate: %v, %v", got.Status, err)
	}
}
