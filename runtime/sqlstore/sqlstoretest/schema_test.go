package sqlstoretest

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Many processes start at once on an empty database, and again later.
func TestMigrateIsRepeatableAndConcurrent(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "test.db")
	for range 2 {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := sqlstore.New(sqliteFile.open(t, dsn(path)), idem.SQLite).Migrate(ctx); err != nil {
					t.Errorf("migrate: %v", err)
				}
			})
		}
		wg.Wait()
	}
	f := sqliteFile.over(t, dsn(path), sqliteFile.open(t, dsn(path)))
	if n := f.count("SELECT COUNT(*) FROM idem_records_schema"); n != 1 {
		t.Errorf("%d versions noted", n)
	}
	f.exec("INSERT INTO idem_records_schema VALUES (1000, 0)")
	if err := sqlstore.New(f.db, idem.SQLite).Migrate(ctx); err != nil {
		t.Errorf("a newer version: %v", err)
	}
}

func TestSchemaIsWhatMigrateMakes(t *testing.T) {
	f := sqliteFile.over(t, "", sqliteFile.open(t, dsn(filepath.Join(t.TempDir(), "test.db"))))
	for range 2 {
		f.exec(sqlstore.Schema(idem.SQLite))
	}
	c := leased(claimOn(t, 0, idem.String("K")), time.Minute, idem.OrphanRerun)
	if got, err := sqlstore.New(f.db, idem.SQLite).Claim(context.Background(), c); err != nil || got.Status != idem.Fresh {
		t.Errorf("%v, %v", got.Status, err)
	}
}

// Table names are quoted, whatever they are.
func TestTableNames(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	f.db.SetMaxOpenConns(1)
	f.exec("ATTACH DATABASE ? AS shop", filepath.Join(t.TempDir(), "shop.db"))
	c := leased(claimOn(t, 0, idem.String("K")), time.Minute, idem.OrphanRerun)
	for _, name := range []string{"order", "group by", `a"b`, "支付", "shop.records", `shop.x"y`, "Robert'); DROP TABLE idem_records; --"} {
		store := sqlstore.New(f.db, idem.SQLite, sqlstore.WithTable(name))
		for range 2 {
			if err := store.Migrate(ctx); err != nil {
				t.Errorf("%s: migrate: %v", name, err)
			}
		}
		if got, err := store.Claim(ctx, c); err != nil || got.Status != idem.Fresh {
			t.Errorf("%s: %v, %v", name, got.Status, err)
		}
		if _, err := store.Prune(ctx, 10); err != nil {
			t.Errorf("%s: prune: %v", name, err)
		}
	}
	if n := f.count("SELECT COUNT(*) FROM shop.records"); n != 1 {
		t.Error("a name with a schema is not in it")
	}
}

// clock is a settable process clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Time is the store's, to the microsecond, and no time zone touches it.
func TestLaw_C8_StoresClockDecides(t *testing.T) {
	ctx := context.Background()
	now := &clock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.FixedZone("Tokyo", 9*3600))}
	f := newFixture(t, sqlstore.WithClock(now.Now))
	zulu := sqlstore.New(f.db, idem.SQLite, sqlstore.WithClock(func() time.Time { return now.Now().UTC() }))
	status := func(want idem.ClaimStatus, c idem.Claim) idem.Found {
		t.Helper()
		c.Owner = idem.NewOwner()
		got, err := zulu.Claim(ctx, c)
		if err != nil || got.Status != want {
			t.Fatalf("%v, %v, want %v", got.Status, err, want)
		}
		return got
	}
	c := leased(claimOn(t, 0, idem.String("K")), 30*time.Second, idem.OrphanRerun)
	if got, err := f.store.Claim(ctx, c); err != nil || got.Status != idem.Fresh {
		t.Fatal(got.Status, err)
	}
	now.add(30*time.Second - time.Microsecond)
	if got := status(idem.Running, c); got.Record.LeaseLeft != time.Microsecond {
		t.Errorf("%v left", got.Record.LeaseLeft)
	}
	now.add(time.Microsecond)
	got := status(idem.Fresh, c)
	if got.Record.Fence != 2 {
		t.Errorf("fence %d", got.Record.Fence)
	}
	h := idem.Hold{Key: c.Key, Owner: got.Record.Owner, Fence: 2}
	if err := zulu.Complete(ctx, h, done("1"), time.Hour); err != nil {
		t.Fatal(err)
	}
	now.add(time.Hour - time.Microsecond)
	status(idem.Done, c)
	now.add(time.Microsecond)
	status(idem.Fresh, c)
}

// A stale owner changes nothing, whichever of its two values is the stale one.
func TestLaw_C3_OwnerAndFence(t *testing.T) {
	ctx := context.Background()
	now := &clock{now: time.Now()}
	f := newFixture(t, sqlstore.WithClock(now.Now))
	a := leased(claimOn(t, 0, idem.String("K")), 30*time.Second, idem.OrphanRerun)
	b := a
	b.Owner = idem.NewOwner()
	for _, c := range []idem.Claim{a, b} {
		if got, err := f.store.Claim(ctx, c); err != nil || got.Status != idem.Fresh {
			t.Fatal(got.Status, err)
		}
		now.add(31 * time.Second)
	}
	for _, h := range []idem.Hold{{Key: a.Key, Owner: a.Owner, Fence: 1}, {Key: a.Key, Owner: a.Owner, Fence: 2}, {Key: a.Key, Owner: b.Owner, Fence: 1}} {
		for name, err := range map[string]error{
			"renew":    f.store.Renew(ctx, h, time.Minute),
			"complete": f.store.Complete(ctx, h, done("stale"), time.Hour),
			"release":  f.store.Release(ctx, h),
		} {
			if err != idem.ErrLeaseLost {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := f.store.Complete(ctx, idem.Hold{Key: a.Key, Owner: b.Owner, Fence: 2}, done("b"), time.Hour); err != nil {
		t.Error(err)
	}
	if got, err := f.store.Lookup(ctx, a.Key); err != nil || string(got.Record.Outcome.Data) != "b" {
		t.Errorf("%+v, %v", got, err)
	}
}

// An expired record that nobody pruned never blocks, in either mode.
func TestLaw_C11_ExpiredRecordNeverBlocks(t *testing.T) {
	ctx := context.Background()
	now := &clock{now: time.Now()}
	f := newFixture(t, sqlstore.WithClock(now.Now))
	k := sqlKind(f)
	c := claimOn(t, 0, idem.String("K"))
	for i := range 3 {
		c.Owner = idem.NewOwner()
		got, err := f.store.InTx(ctx, c, k.body("K"))
		if err != nil || got.Status != idem.Fresh || got.Record.Fence != int64(i+1) {
			t.Fatalf("call %d: %+v, %v", i, got, err)
		}
		now.add(c.Retention + time.Second)
	}
	kept, err := f.store.Keep(ctx, c, idem.Outcome{Kind: idem.Failed})
	if err != nil || kept.Status != idem.Fresh {
		t.Errorf("keep: %v, %v", kept.Status, err)
	}
}

// Pruning is bounded, goes through the index and spares what has not expired.
func TestLaw_C13_PruneThroughTheIndex(t *testing.T) {
	ctx := context.Background()
	now := &clock{now: time.Now()}
	f := newFixture(t, sqlstore.WithClock(now.Now))
	k := sqlKind(f)
	for i := range 30 {
		if _, err := f.store.InTx(ctx, claimOn(t, 0, idem.Int(i)), k.body("K")); err != nil {
			t.Fatal(err)
		}
	}
	never := claimOn(t, 0, idem.String("never"))
	never.Retention = idem.Never
	if _, err := f.store.InTx(ctx, never, k.body("K")); err != nil {
		t.Fatal(err)
	}
	abandoned := leased(claimOn(t, 0, idem.String("abandoned")), time.Minute, idem.OrphanRerun)
	held := leased(claimOn(t, 0, idem.String("held")), time.Minute, idem.OrphanHold)
	for _, c := range []idem.Claim{abandoned, held} {
		if _, err := f.store.Claim(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	prune := func(limit, want int) {
		t.Helper()
		if n, err := f.store.Prune(ctx, limit); err != nil || n != want {
			t.Errorf("pruned %d, %v, want %d", n, err, want)
		}
	}
	prune(100, 0)
	now.add(time.Hour)
	prune(20, 20)
	prune(20, 10)
	if err := f.store.Renew(ctx, idem.Hold{Key: abandoned.Key, Owner: abandoned.Owner, Fence: 1}, time.Hour); err != nil {
		t.Error(err)
	}
	now.add(2*time.Hour - time.Second)
	prune(20, 0)
	now.add(time.Second)
	prune(20, 1)
	now.add(1000 * time.Hour)
	prune(20, 0)
	if got, err := f.store.Lookup(ctx, held.Key); err != nil || got.Status != idem.Held {
		t.Errorf("held: %v, %v", got.Status, err)
	}

	rows, err := f.db.Query(`EXPLAIN QUERY PLAN DELETE FROM "idem_records" WHERE expires_at <= 1 AND key_hash IN
		(SELECT key_hash FROM "idem_records" WHERE expires_at <= 1 ORDER BY expires_at LIMIT 10)`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var a, b, c int
		var detail string
		if err := rows.Scan(&a, &b, &c, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if all := strings.Join(plan, "; "); strings.Contains(all, "SCAN") || !strings.Contains(all, "idem_records_expires") {
		t.Errorf("plan: %s", all)
	}
}

func TestUnsupportedDialect(t *testing.T) {
	f := newFixture(t)
	for _, d := range []idem.Dialect{0, 77} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "not supported") {
					t.Errorf("dialect %v: %q", d, text)
				}
			}()
			sqlstore.New(f.db, d)
		}()
	}
}
