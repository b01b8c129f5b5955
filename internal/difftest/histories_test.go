package difftest_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/internal/difftest/locks"
	"github.com/idemgen/idemgen/internal/difftest/records"
	"github.com/idemgen/idemgen/internal/difftest/tokens"
	"github.com/idemgen/idemgen/internal/difftest/transactions"
)

// seedVariable repeats a run: the seed that its log shows.
const seedVariable = "IDEMGEN_DIFFTEST_SEED"

var (
	seedFlag    = flag.Uint64("seed", 0, "seed of the histories; 0 = that of "+seedVariable+", else a new one")
	historyFlag = flag.Int("history", -1, "play this history of the seed alone")
	countFlag   = flag.Int("histories", 0, "how many histories of each kind; 0 = as many as the test says")
)

// plan is what a test plays: count histories, unless the flags say otherwise.
func plan(t *testing.T, count int) difftest.Plan {
	t.Helper()
	p := difftest.Plan{Seed: *seedFlag, Count: count}
	if text := os.Getenv(seedVariable); p.Seed == 0 && text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
		p.Seed = seed
	}
	for p.Seed == 0 {
		p.Seed = rand.Uint64()
	}
	if *countFlag > 0 {
		p.Count = *countFlag
	}
	if *historyFlag >= 0 {
		p.First, p.Count = *historyFlag, 1
	}
	t.Logf("seed %d: repeat with -seed, or %s", p.Seed, seedVariable)
	return p
}

// check fails a test whose run found a difference, or compared too little.
func check(t *testing.T, r *difftest.Report) {
	t.Helper()
	t.Log(r)
	if r.Failure != nil {
		t.Fatal("stores differ")
	}
	if r.Unplayed > r.Plan.Count*len(r.ByStore)/100 {
		t.Errorf("%d plays missed their times over and over", r.Unplayed)
	}
}

func TestLaw_C14_RecordStoresAgree(t *testing.T) {
	stores := recordStores(t)
	check(t, records.Kind().Run(deadline(t), plan(t, 2200), stores))
}

func TestLaw_C14_TokenStoresAgree(t *testing.T) {
	stores := tokenStores(t)
	check(t, tokens.Kind().Run(deadline(t), plan(t, 700), stores))
}

func TestLaw_C14_LockersAgree(t *testing.T) {
	stores := lockers(t)
	check(t, locks.Kind().Run(deadline(t), plan(t, 700), stores))
}

func TestLaw_C14_TransactionModesAgree(t *testing.T) {
	stores := txStores(t)
	check(t, transactions.Kind().Run(deadline(t), plan(t, 500), stores))
}
