package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/idemgen/idemgen/runtime/idem"
)

// The laws of whole guarded calls: the core on this store.

// receipt is a business result.
type receipt struct {
	ID     string
	Amount int64
}

// service is a business method with its wrapper, as the generator writes one.
type service struct {
	*fixture
	engine *idem.Engine
	op     idem.Op
	runs   atomic.Int64
	retry  atomic.Int64
	during func(ctx context.Context, tx *sql.Tx) error // inside the method
}

func newService(f *fixture, op idem.Op) *service {
	s := &service{fixture: f, op: op}
	s.op.Name = "sqlstoretest.Pay"
	s.engine = idem.New(idem.GlobalScope, idem.WithObserver(s))
	return s
}

// Observe counts the attempts that were made again.
func (s *service) Observe(_ context.Context, e idem.Event) {
	if e.Kind == idem.EventTxRetry {
		s.retry.Add(1)
	}
}

func (s *service) pay(ctx context.Context, tx *sql.Tx, id string, amount int64) (*receipt, error) {
	s.runs.Add(1)
	if err := s.effect(ctx, tx, id); err != nil {
		return nil, err
	}
	if s.during != nil {
		if err := s.during(ctx, tx); err != nil {
			return nil, err
		}
	}
	return &receipt{id, amount}, nil
}

// Pay is the guarded method.
func (s *service) Pay(ctx context.Context, id string, amount int64) (*receipt, error) {
	call := s.engine.Call(ctx, &s.op, idem.String(id)).Match(idem.String(id), idem.Int(amount))
	return idem.OnceTx(ctx, s.store, call, func(ctx context.Context, tx *sql.Tx) (*receipt, error) {
		return s.pay(ctx, tx, id, amount)
	})
}

// PayTx joins a transaction of the caller's.
func (s *service) PayTx(ctx context.Context, tx *sql.Tx, id string, amount int64) (*receipt, error) {
	return s.Pay(idem.Join(ctx, s.store, tx), id, amount)
}

// ran checks how often the method ran and what is left of it.
func (s *service) ran(id string, runs, effects int) {
	s.Helper()
	if int(s.runs.Load()) != runs || s.effects(id) != effects {
		s.Errorf("%s: %d runs and %d effects, want %d and %d", id, s.runs.Load(), s.effects(id), runs, effects)
	}
}

func TestLaw_K2_BytesDecide(t *testing.T) { on(t, everyDatabase, bytesDecide) }

func bytesDecide(t *testing.T, d *database) {
	s := newService(d.fixture(t), idem.Op{})
	keys := []string{"K1", "k1", "k1 ", " k1", "ﬀ", "ff", "FF", "\x00", "k1\x00", "é", "e\u0301", "\xff", strings.Repeat("k", 70<<10), strings.Repeat("k", 70<<10) + "k"}
	for range 2 {
		for i, key := range keys {
			got, err := s.Pay(context.Background(), key, int64(i))
			if !utf8.ValidString(key) && errors.Is(err, idem.ErrResultUnreadable) {
				continue // the receipt repeats the key, which JSON can't bring back: done, and said so (C9)
			}
			if err != nil || got.Amount != int64(i) {
				t.Errorf("key %d: %v, %v", i, got, err)
			}
		}
	}
	if n := int(s.runs.Load()); n != len(keys) {
		t.Errorf("%d runs of %d keys", n, len(keys))
	}
	if n := s.count("SELECT COUNT(*) FROM idem_records WHERE length(key_hash) = 32"); n != len(keys) {
		t.Errorf("%d binary keys of %d", n, len(keys))
	}
}

func TestLaw_C1_FiftyCallersOneRun(t *testing.T) { on(t, everyDatabase, fiftyCallersOneRun) }

func fiftyCallersOneRun(t *testing.T, d *database) {
	for _, wait := range []time.Duration{0, time.Minute} {
		t.Run(wait.String(), func(t *testing.T) {
			s := newService(d.fixture(t), idem.Op{Wait: wait})
			s.during = func(context.Context, *sql.Tx) error { time.Sleep(200 * time.Millisecond); return nil }
			var wg sync.WaitGroup
			var busy atomic.Int64
			for range 50 {
				wg.Go(func() {
					got, err := s.Pay(context.Background(), "K", 7)
					switch {
					case err == nil && *got == receipt{"K", 7}:
					case wait == 0 && errors.Is(err, idem.ErrInProgress):
						busy.Add(1)
					default:
						t.Errorf("%v, %v", got, err)
					}
				})
			}
			wg.Wait()
			s.ran("K", 1, 1)
			t.Logf("%d in progress", busy.Load())
		})
	}
}

// The same in lease mode, where every caller is a claim of its own.
func TestLaw_C1_FiftyCallersOneLease(t *testing.T) { on(t, everyDatabase, fiftyCallersOneLease) }

func fiftyCallersOneLease(t *testing.T, d *database) {
	f := d.fixture(t)
	engine := idem.New(idem.GlobalScope)
	op := idem.Op{Name: "notify", Orphan: idem.OrphanHold, Lease: 10 * time.Second, Wait: 20 * time.Second}
	var runs atomic.Int64
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			got, err := idem.Once(context.Background(), f.store, engine.Call(context.Background(), &op, idem.String("K")), func(context.Context) (int64, error) {
				time.Sleep(100 * time.Millisecond)
				return runs.Add(1), nil
			})
			if err != nil || got != 1 {
				t.Errorf("%d, %v", got, err)
			}
		})
	}
	wg.Wait()
	if runs.Load() != 1 {
		t.Errorf("%d runs", runs.Load())
	}
}

func TestLaw_K5_OtherPayload(t *testing.T) { on(t, everyDatabase, otherPayload) }

func otherPayload(t *testing.T, d *database) {
	ctx := context.Background()
	s := newService(d.fixture(t), idem.Op{})
	running := make(chan struct{})
	finish := make(chan struct{})
	s.during = func(context.Context, *sql.Tx) error { close(running); <-finish; return nil }
	first := make(chan error)
	go func() { _, err := s.Pay(ctx, "K", 1); first <- err }()
	<-running
	if _, err := s.Pay(ctx, "K", 2); !errors.Is(err, idem.ErrKeyReused) {
		t.Errorf("while the first runs: %v", err)
	}
	close(finish)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if _, err := s.Pay(ctx, "K", 2); !errors.Is(err, idem.ErrKeyReused) {
		t.Errorf("after the first: %v", err)
	}
	if got, err := s.Pay(ctx, "K", 1); err != nil || got.Amount != 1 {
		t.Errorf("the honest retry: %v, %v", got, err)
	}
	s.ran("K", 1, 1)
}

func TestLaw_C9_TooLargeIsDone(t *testing.T) { on(t, everyDatabase, tooLargeIsDone) }

func tooLargeIsDone(t *testing.T, d *database) {
	ctx := context.Background()
	s := newService(d.fixture(t), idem.Op{MaxResult: 8})
	if got, err := s.Pay(ctx, "K", 1); err != nil || got.ID != "K" {
		t.Fatalf("%v, %v", got, err)
	}
	if _, err := s.Pay(ctx, "K", 1); !errors.Is(err, idem.ErrResultTooLarge) {
		t.Errorf("the duplicate: %v", err)
	}
	call := s.engine.Call(ctx, &s.op, idem.String("K"))
	got, err := idem.OnceTxOr(ctx, s.store, call, func(ctx context.Context, tx *sql.Tx) (*receipt, error) {
		var n int64
		err := tx.QueryRowContext(ctx, d.text("SELECT n FROM effects WHERE id = ?"), []byte("K")).Scan(&n)
		return &receipt{"K", n}, err
	}, func(ctx context.Context, tx *sql.Tx) (*receipt, error) { return s.pay(ctx, tx, "K", 1) })
	if err != nil || *got != (receipt{"K", 1}) {
		t.Errorf("the look-up: %v, %v", got, err)
	}
	s.ran("K", 1, 1)
}

// replaysAs runs a method twice and checks that both got the same.
func replaysAs[R any](t *testing.T, f *fixture, name string, want R) {
	t.Helper()
	ctx := context.Background()
	engine := idem.New(idem.GlobalScope)
	op := idem.Op{Name: name}
	runs := 0
	for range 2 {
		got, err := idem.OnceTx(ctx, f.store, engine.Call(ctx, &op, idem.String("K")), func(ctx context.Context, tx *sql.Tx) (R, error) {
			runs++
			return want, f.effect(ctx, tx, name)
		})
		if err != nil || fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("%s: %#v, %v", name, got, err)
		}
	}
	if runs != 1 || f.effects(name) != 1 {
		t.Errorf("%s: %d runs", name, runs)
	}
}

func TestLaw_C10_NothingIsAResult(t *testing.T) { on(t, everyDatabase, nothingIsAResult) }

func nothingIsAResult(t *testing.T, d *database) {
	f := d.fixture(t)
	replaysAs(t, f, "nil pointer", (*receipt)(nil))
	replaysAs(t, f, "zero struct", receipt{})
	replaysAs(t, f, "empty slice", []string{})
	replaysAs(t, f, "nil slice", []string(nil))
	replaysAs(t, f, "zero", 0)
	replaysAs(t, f, "none", idem.None{})
}

var errSoldOut = errors.New("sold out")

func TestLaw_C12_FinalErrorIsStoredAfterTheRollback(t *testing.T) {
	on(t, everyDatabase, finalErrorIsStoredAfterTheRollback)
}

func finalErrorIsStoredAfterTheRollback(t *testing.T, d *database) {
	ctx := context.Background()
	s := newService(d.fixture(t), idem.Op{Sentinels: []idem.Sentinel{{Name: "sold out", Err: errSoldOut}}})
	s.during = func(context.Context, *sql.Tx) error { return idem.Final(errSoldOut) }
	for range 3 {
		if _, err := s.Pay(ctx, "K", 1); !errors.Is(err, errSoldOut) {
			t.Errorf("%v", err)
		}
	}
	s.ran("K", 1, 0)

	s.during = func(context.Context, *sql.Tx) error { return errSoldOut }
	for range 2 {
		if _, err := s.Pay(ctx, "ordinary", 1); !errors.Is(err, errSoldOut) {
			t.Errorf("%v", err)
		}
	}
	s.ran("ordinary", 3, 0)
}

// Of many that keep an error for one key, one is stored and all replay it.
func TestLaw_C12_KeepHasOneWinner(t *testing.T) { on(t, everyDatabase, keepHasOneWinner) }

func keepHasOneWinner(t *testing.T, d *database) {
	ctx := context.Background()
	f := d.fixture(t)
	base := claimOn(t, 0, idem.String("K"))
	var fresh atomic.Int64
	winners := make(chan string, 40)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			c := base
			c.Owner = idem.NewOwner()
			mine := fmt.Sprint("error ", i)
			got, err := f.store.Keep(ctx, c, idem.Outcome{Kind: idem.Failed, Codec: "x", Data: []byte(mine)})
			switch {
			case err != nil:
				t.Errorf("keep: %v", err)
			case got.Status == idem.Fresh:
				fresh.Add(1)
				if again, err := f.store.Keep(ctx, c, idem.Outcome{Kind: idem.Failed, Codec: "x", Data: []byte(mine)}); err != nil || again.Status != idem.Fresh {
					t.Errorf("the same owner again: %v, %v", again.Status, err)
				}
				winners <- mine
			case got.Status == idem.Done && got.Record.Outcome.Kind == idem.Failed:
				winners <- string(got.Record.Outcome.Data)
			default:
				t.Errorf("keep: %+v", got)
			}
		})
	}
	wg.Wait()
	close(winners)
	all := map[string]bool{}
	for w := range winners {
		all[w] = true
	}
	if fresh.Load() != 1 || len(all) != 1 {
		t.Errorf("%d winners, %d different answers", fresh.Load(), len(all))
	}
	if n := f.count("SELECT COUNT(*) FROM idem_records WHERE expires_at IS NULL"); n != 0 {
		t.Error("a kept error never expires")
	}
}

func TestLaw_C16_SameOwnerSameTransaction(t *testing.T) {
	on(t, everyDatabase, sameOwnerSameTransaction)
}

func sameOwnerSameTransaction(t *testing.T, d *database) {
	ctx := context.Background()
	f := d.fixture(t)
	k := sqlKind(f)
	c := claimOn(t, 0, idem.String("K"))
	for i, want := range []idem.ClaimStatus{idem.Fresh, idem.Done, idem.Done} {
		got, err := f.store.InTx(ctx, c, k.body("K"))
		if err != nil || got.Status != want || got.Record.Owner != c.Owner || string(got.Record.Outcome.Data) != "K" {
			t.Errorf("attempt %d: %+v, %v", i, got, err)
		}
	}
	if f.effects("K") != 1 {
		t.Errorf("%d effects", f.effects("K"))
	}
}
