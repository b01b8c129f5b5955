package sqlstoretest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Many processes start at once on an empty database, and again later.
func TestMigrateConcurrentlyOnServers(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		ctx := context.Background()
		source := d.create(t)
		for range 2 {
			var wg sync.WaitGroup
			for range 8 {
				p := d.over(t, source, d.open(t, source))
				wg.Go(func() {
					if err := p.store.Migrate(ctx); err != nil {
						t.Errorf("migrate: %v", err)
					}
				})
			}
			wg.Wait()
		}
		f := d.over(t, source, d.open(t, source))
		if n := f.count("SELECT COUNT(*) FROM idem_records_schema"); n != 1 {
			t.Errorf("%d versions noted", n)
		}
		f.exec("INSERT INTO idem_records_schema VALUES (1000, 0)")
		if err := f.store.Migrate(ctx); err != nil {
			t.Errorf("a newer version: %v", err)
		}
	})
}

// The statements that Schema returns make the same table, twice over.
func TestSchemaOnServers(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		source := d.create(t)
		f := d.over(t, source, d.open(t, source))
		for range 2 {
			for text := range strings.SplitSeq(sqlstore.Schema(d.dialect), ";\n") {
				if text != "" {
					f.exec(text)
				}
			}
		}
		c := leased(claimOn(t, 0, idem.String("K")), time.Minute, idem.OrphanRerun)
		if got, err := f.store.Claim(context.Background(), c); err != nil || got.Status != idem.Fresh {
			t.Errorf("%v, %v", got.Status, err)
		}
	})
}

// Table names are quoted, whatever they are.
func TestTableNamesOnServers(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		names := []string{"order", "group by", `a"b`, "a`b", "支付", "a:key", "{fence}", "$idem$", "Robert'); DROP TABLE idem_records; --"}
		if d.dialect == idem.Postgres {
			f.exec("CREATE SCHEMA shop")
			names = append(names, "shop.records")
		}
		k := sqlKind(f)
		for _, name := range names {
			k.store = sqlstore.New(f.db, d.dialect, sqlstore.WithTable(name))
			store := k.store.(*sqlstore.Store)
			for range 2 {
				if err := store.Migrate(ctx); err != nil {
					t.Errorf("%s: migrate: %v", name, err)
				}
			}
			c := claimOn(t, 0, idem.String("K"))
			for i, want := range []idem.ClaimStatus{idem.Fresh, idem.Done} {
				c.Owner[0] = byte(i)
				if got, err := store.InTx(ctx, c, k.body(name)); err != nil || got.Status != want {
					t.Errorf("%s: %v, %v", name, got.Status, err)
				}
			}
			if _, err := store.Prune(ctx, 10); err != nil {
				t.Errorf("%s: prune: %v", name, err)
			}
		}
		if d.dialect == idem.Postgres && f.count("SELECT COUNT(*) FROM shop.records") != 1 {
			t.Error("a name with a schema is not in it")
		}
	})
}

// plan is what the server says it will do with a statement.
func (f *fixture) plan(query string) string {
	f.Helper()
	rows, err := f.db.Query("EXPLAIN " + query)
	if err != nil {
		f.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		f.Fatal(err)
	}
	var lines []string
	for rows.Next() {
		cells, dest := make([][]byte, len(columns)), make([]any, len(columns))
		for i := range cells {
			dest[i] = &cells[i]
		}
		if err := rows.Scan(dest...); err != nil {
			f.Fatal(err)
		}
		for _, c := range cells {
			lines = append(lines, string(c))
		}
	}
	return strings.Join(lines, "\n")
}

// Pruning is bounded, deletes only what has expired and goes through the index,
// also where the table is partitioned.
func TestLaw_C13_PruneOnServers(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		for name, opts := range map[string][]sqlstore.Option{"plain": nil, "partitions": {sqlstore.WithPartitions(4)}} {
			t.Run(name, func(t *testing.T) { prunes(t, d.fixture(t, opts...), name == "partitions") })
		}
	})
}

func prunes(t *testing.T, f *fixture, partitioned bool) {
	ctx := context.Background()
	k := sqlKind(f)
	keep := func(i int, retention time.Duration) {
		t.Helper()
		c := claimOn(t, 0, idem.Int(i))
		c.Retention = retention
		if got, err := f.store.InTx(ctx, c, k.body("K")); err != nil || got.Status != idem.Fresh {
			t.Fatal(got.Status, err)
		}
	}
	for i := range 200 {
		keep(i, map[bool]time.Duration{true: time.Millisecond, false: time.Hour}[i < 30])
	}
	keep(1000, idem.Never)
	held := leased(claimOn(t, 0, idem.String("held")), time.Millisecond, idem.OrphanHold)
	if _, err := f.store.Claim(ctx, held); err != nil {
		t.Fatal(err)
	}
	if partitioned && f.on.dialect == idem.Postgres {
		if n := f.count("SELECT COUNT(DISTINCT tableoid) FROM idem_records"); n != 4 {
			t.Errorf("rows in %d partitions", n)
		}
	}
	time.Sleep(10 * time.Millisecond)
	for _, want := range []int{20, 10, 0} {
		if n, err := f.store.Prune(ctx, 20); err != nil || n != want {
			t.Errorf("pruned %d, %v, want %d", n, err, want)
		}
	}
	if got, err := f.store.Lookup(ctx, held.Key); err != nil || got.Status != idem.Held {
		t.Errorf("held: %v, %v", got.Status, err)
	}
	// An expired record that is pruned, or is not, never blocks (C11).
	for _, i := range []int{0, 1} {
		keep(i, time.Hour)
	}

	switch f.on.dialect {
	case idem.Postgres:
		f.db.SetMaxOpenConns(1)
		f.exec("SET enable_seqscan = off") // the table is small
		p := f.plan(`DELETE FROM idem_records WHERE expires_at <= 1 AND key_hash = ANY(ARRAY(
			SELECT key_hash FROM idem_records WHERE expires_at <= CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) ORDER BY expires_at LIMIT 10 FOR UPDATE SKIP LOCKED))`)
		if strings.Contains(p, "Seq Scan") || !strings.Contains(p, "Index Cond: (expires_at <=") {
			t.Errorf("plan:\n%s", p)
		}
	case idem.MySQL:
		if p := f.plan("DELETE FROM idem_records WHERE expires_at <= 1 ORDER BY expires_at LIMIT 10"); !strings.Contains(p, "range\nexpires") {
			t.Errorf("plan:\n%s", p)
		}
	}
}

// Two processes prune at once while claims go on.
func TestLaw_C13_PrunersDontGetInTheWay(t *testing.T) {
	on(t, bothServers, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 2 {
			p := f.process()
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if _, err := p.store.Prune(ctx, 50); err != nil {
						t.Errorf("prune: %v", err)
					}
				}
			})
		}
		s := newService(f, idem.Op{TTL: 5 * time.Millisecond})
		var callers sync.WaitGroup
		for c := range 4 {
			callers.Go(func() {
				for i := range 100 {
					id := string(rune('A'+c)) + string(rune('0'+i))
					if _, err := s.Pay(ctx, id, 1); err != nil {
						t.Errorf("%s: %v", id, err)
					}
				}
			})
		}
		callers.Wait()
		close(stop)
		wg.Wait()
		if n := f.count("SELECT COUNT(*) FROM effects"); n != 400 {
			t.Errorf("%d effects", n)
		}
	})
}

// Without prepared statements the same holds.
func TestWithoutPrepared(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t, sqlstore.WithoutPrepared())
		k := sqlKind(f)
		c := claimOn(t, 0, idem.String("K"))
		for _, want := range []idem.ClaimStatus{idem.Fresh, idem.Done} {
			c.Owner = idem.NewOwner()
			if got, err := f.store.InTx(ctx, c, k.body("K")); err != nil || got.Status != want {
				t.Errorf("%v, %v", got.Status, err)
			}
		}
		l := leased(claimOn(t, 0, idem.String("L")), time.Minute, idem.OrphanRerun)
		if got, err := f.store.Claim(ctx, l); err != nil || got.Status != idem.Fresh {
			t.Errorf("%v, %v", got.Status, err)
		}
		if err := f.store.Complete(ctx, idem.Hold{Key: l.Key, Owner: l.Owner, Fence: 1}, done("1"), time.Hour); err != nil {
			t.Error(err)
		}
	})
}

// A name that Postgres would cut off is refused before anything is made: the index that
// prunes would have the name of another table, and so not be there (C13).
func TestLaw_C13_NamesAreNotCutOff(t *testing.T) {
	ctx := context.Background()
	source := pgxOnPostgres.create(t)
	db := pgxOnPostgres.open(t, source)
	for _, n := range []int{55, 56, 62, 63, 70} {
		name := strings.Repeat("r", n)
		store := sqlstore.New(db, idem.Postgres, sqlstore.WithTable("public."+name), sqlstore.WithPartitions(12))
		err := store.Migrate(ctx)
		if n > 55 {
			if err == nil || !strings.Contains(err.Error(), "bytes") {
				t.Errorf("%d bytes: %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 { // every partition is there
			c := leased(claimOn(t, 0, idem.Int(i)), time.Minute, idem.OrphanRerun)
			if got, err := store.Claim(ctx, c); err != nil || got.Status != idem.Fresh {
				t.Fatal(got.Status, err)
			}
		}
	}
	f := &fixture{TB: t, on: pgxOnPostgres, db: db}
	if n := f.count("SELECT COUNT(*) FROM pg_indexes WHERE indexdef LIKE '%expires_at%' AND tablename LIKE '%r'"); n != 1 {
		t.Errorf("%d indexes", n)
	}
}
