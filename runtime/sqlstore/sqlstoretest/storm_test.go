package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Several pools on one file are to the database what several processes are:
// they share nothing but the file. Every intention is called many times, fails
// now and then, and has exactly one effect in the end.
func TestLaw_C11_StormOverSeveralPools(t *testing.T) { on(t, everyDatabase, stormOverSeveralPools) }

func stormOverSeveralPools(t *testing.T, d *database) {
	const pools, callers, intentions = 4, 32, 24
	f := d.fixture(t)
	var services []*service
	for range pools {
		p := f.process()
		p.db.SetMaxOpenConns(3)
		s := newService(p, idem.Op{Wait: time.Minute})
		s.during = func(context.Context, *sql.Tx) error {
			switch rand.N(5) {
			case 0:
				return errBusiness
			case 1:
				time.Sleep(5 * time.Millisecond)
			}
			return nil
		}
		services = append(services, s)
	}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for _, i := range rand.Perm(intentions) {
				id := fmt.Sprint("intention ", i)
				for {
					got, err := services[rand.N(pools)].Pay(context.Background(), id, int64(i))
					if errors.Is(err, errBusiness) || errors.Is(err, idem.ErrInProgress) {
						continue
					}
					if err != nil || *got != (receipt{id, int64(i)}) {
						t.Errorf("%s: %v, %v", id, got, err)
					}
					break
				}
			}
		})
	}
	wg.Wait()
	for i := range intentions {
		if n := f.effects(fmt.Sprint("intention ", i)); n != 1 {
			t.Errorf("intention %d: %d effects", i, n)
		}
	}
	if n := f.count("SELECT COUNT(*) FROM idem_records WHERE state <> 1"); n != 0 {
		t.Errorf("%d records are not completed", n)
	}
}

// A claim in lease mode leaves no reader behind that keeps the write-ahead log
// from being checkpointed.
func TestWriteAheadLogIsCheckpointed(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	const most = 1000 // pages, SQLite's default
	for i := range 1000 {
		if _, err := f.store.Claim(ctx, leased(claimOn(t, 0, idem.Int(i)), time.Minute, idem.OrphanRerun)); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Stat(f.path() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if pages := log.Size() / 4096; pages > most+most/10 {
		t.Errorf("%d pages in the write-ahead log", pages)
	}
}
