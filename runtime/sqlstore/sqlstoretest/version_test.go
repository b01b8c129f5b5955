package sqlstoretest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// A versioned row as the generator writes one: an account of a tenant, with a floor
// under its balance.
var (
	accountRow = sqltext.Versioned{
		Table: []string{"accounts"}, Key: []string{"id"}, Version: "version",
		Where: model.Frag{sqlWord("tenant = "), sqlParam(0)},
	}
	account = idem.VersionInfo{Name: "Account", Table: "accounts", Select: idem.VersionSQL(accountRow.Select())}

	// deduct takes an amount while that leaves the floor; its parameters are tenant and amount.
	deduct = accountUpdate("Deduct", sqltext.VersionUpdate{
		Set:   []model.Assign{{Column: "balance", Expr: model.Frag{sqlWord("balance - "), sqlParam(1)}}},
		Where: model.Frag{sqlWord("balance >= "), sqlParam(1)}, Params: 2,
	})
	// touch writes what is there already; its parameter is the tenant.
	touch = accountUpdate("Touch", sqltext.VersionUpdate{
		Set: []model.Assign{{Column: "note", Expr: model.Frag{sqlWord("note")}}}, Params: 1,
	})
	// write writes a balance as the caller worked it out; its parameter is the tenant.
	write = accountUpdate("Write", sqltext.VersionUpdate{Columns: []string{"balance"}, Params: 1})
	// rename writes one column from a struct.
	rename = accountUpdate("Rename", sqltext.VersionUpdate{Columns: []string{"note"}, Params: 1})
)

func sqlWord(s string) model.FragToken { return model.FragToken{Kind: model.FragWord, Text: s} }
func sqlParam(n int) model.FragToken   { return model.FragToken{Kind: model.FragParam, Param: n} }

func accountUpdate(name string, u sqltext.VersionUpdate) *idem.UpdateInfo {
	up := &idem.UpdateInfo{Name: name, Update: idem.VersionSQL(accountRow.Update(u))}
	if u.Where != nil {
		up.Check = idem.VersionSQL(accountRow.Check(u.Where))
	}
	return up
}

// ledger is a fixture with a table of accounts.
func (d *database) ledger(t testing.TB, opts ...sqlstore.Option) *fixture {
	f := d.fixture(t, opts...)
	f.versioned()
	return f
}

func (f *fixture) versioned() {
	f.Helper()
	f.exec("CREATE TABLE accounts (id VARCHAR(20) PRIMARY KEY, tenant INTEGER NOT NULL, balance BIGINT NOT NULL, note VARCHAR(20) NOT NULL, version BIGINT)")
}

// put makes account a of tenant 1.
func (f *fixture) put(balance int64, version any) {
	f.Helper()
	f.exec("DELETE FROM accounts")
	f.exec("INSERT INTO accounts VALUES ('a', 1, ?, 'n', ?)", balance, version)
	f.exec("INSERT INTO accounts VALUES ('b', 1, 1000, 'n', 0)")
}

// is checks account a, and that its neighbour is as it was.
func (f *fixture) is(what string, balance int64, note string, version int64) {
	f.Helper()
	got := fmt.Sprint(f.count("SELECT balance FROM accounts WHERE id = 'a'"), f.count("SELECT version FROM accounts WHERE id = 'a'"))
	if got != fmt.Sprint(balance, version) || f.count("SELECT COUNT(*) FROM accounts WHERE id = 'a' AND note = ?", note) != 1 {
		f.Errorf("%s: balance and version are %s, want %d %d and note %q", what, got, balance, version, note)
	}
	if f.count("SELECT COUNT(*) FROM accounts WHERE id = 'b' AND balance = 1000 AND version = 0 AND note = 'n'") != 1 {
		f.Errorf("%s: another row was written", what)
	}
}

func (f *fixture) update(u *idem.UpdateInfo, expected int64, args ...any) (int64, error) {
	return idem.UpdateVersion(context.Background(), sqlstore.DB(f.db), f.on.dialect, &account, u, expected, args...)
}

func TestLaw_V1_NotFoundConflictAndGuardAreApart(t *testing.T) {
	on(t, everyDatabase, notFoundConflictAndGuardAreApart)
}

func notFoundConflictAndGuardAreApart(t *testing.T, d *database) {
	f := d.ledger(t)
	f.put(50, 3)
	for _, c := range []struct {
		name     string
		update   *idem.UpdateInfo
		expected int64
		args     []any
		is       error
		actual   int64
	}{
		{"unknown id", deduct, 3, []any{"x", 1, 10}, idem.ErrNotFound, -1},
		{"another tenant's", deduct, 3, []any{"a", 2, 10}, idem.ErrNotFound, -1},
		{"another tenant's, no condition", touch, 3, []any{"a", 2}, idem.ErrNotFound, -1},
		{"stale", deduct, 2, []any{"a", 1, 10}, idem.ErrConflict, 3},
		{"from the future", touch, 4, []any{"a", 1}, idem.ErrConflict, 3},
		{"stale and below the floor", deduct, 2, []any{"a", 1, 51}, idem.ErrConflict, 3},
		{"below the floor", deduct, 3, []any{"a", 1, 51}, idem.ErrGuardFailed, 3},
	} {
		got, err := f.update(c.update, c.expected, c.args...)
		var ve *idem.VersionError
		if !errors.Is(err, c.is) || !errors.As(err, &ve) || ve.Actual != c.actual || ve.Expected != c.expected || got != 0 {
			t.Errorf("%s: %d, %v", c.name, got, err)
		}
		f.is(c.name, 50, "n", 3)
	}
	if got, err := f.update(deduct, 3, "a", 1, 50); got != 4 || err != nil {
		t.Errorf("down to the floor: %d, %v", got, err)
	}
	f.is("down to the floor", 0, "n", 4)

	f.put(50, nil)
	if _, err := f.update(deduct, 0, "a", 1, 1); err == nil || errors.Is(err, idem.ErrConflict) || errors.Is(err, idem.ErrNotFound) {
		t.Errorf("no version: %v", err)
	}
	f.exec("DROP TABLE accounts")
	var ve *idem.VersionError
	if _, err := f.update(deduct, 3, "a", 1, 1); err == nil || errors.As(err, &ve) || errors.Is(err, idem.ErrNotFound) {
		t.Errorf("a driver's error: %v", err)
	}
}

// Rows matched count, not rows changed: an update that writes what is there already
// is an update, with clientFoundRows on or off (V2).
func TestLaw_V2_MatchedIsNotChanged(t *testing.T) { on(t, everyDatabase, matchedIsNotChanged) }

func matchedIsNotChanged(t *testing.T, d *database) {
	f := d.ledger(t)
	f.put(50, 0)
	for want := int64(1); want <= 3; want++ {
		if got, err := f.update(touch, want-1, "a", 1); got != want || err != nil {
			t.Errorf("touch: %d, %v", got, err)
		}
	}
	f.is("touch", 50, "n", 3)
	if got, err := f.update(rename, 3, "a", 1, "n"); got != 4 || err != nil {
		t.Errorf("rename to the same: %d, %v", got, err)
	}
	if got, err := f.update(rename, 4, "a", 1, "m"); got != 5 || err != nil {
		t.Errorf("rename: %d, %v", got, err)
	}
	f.is("rename", 50, "m", 5)
}

// Version 0 is a version; versions do not run over at 2³¹ nor lose digits at 2⁵³.
func TestLaw_V1_VersionsAreWhole(t *testing.T) { on(t, everyDatabase, versionsAreWhole) }

func versionsAreWhole(t *testing.T, d *database) {
	f := d.ledger(t)
	for _, v := range []int64{0, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 53, 1<<53 + 1, 1<<63 - 2} {
		f.put(50, v)
		if got, err := f.update(deduct, v, "a", 1, 10); got != v+1 || err != nil {
			t.Errorf("%d: %d, %v", v, got, err)
		}
		if _, err := f.update(deduct, v, "a", 1, 10); !errors.Is(err, idem.ErrConflict) {
			t.Errorf("%d, again: %v", v, err)
		}
		if n := f.count("SELECT COUNT(*) FROM accounts WHERE id = 'a' AND balance = 40 AND version = ?", v+1); n != 1 {
			t.Errorf("%d: the row is another", v)
		}
	}
	for _, v := range []int64{-1, 1<<63 - 1} {
		f.put(50, v)
		if _, err := f.update(deduct, v, "a", 1, 10); !errors.Is(err, idem.ErrInvalidOp) {
			t.Errorf("%d: %v", v, err)
		}
		f.is("no version", 50, "n", v)
	}
}

// A versioned struct of the caller's.
type accountCopy struct {
	id      string
	version int64
}

// Two updates of one transaction go through returned versions. Nothing in memory
// changes before the commit, so that after a rollback the same struct is still good
// (T7).
func TestLaw_T7_VersionsChangeAfterTheCommit(t *testing.T) {
	on(t, everyDatabase, versionsChangeAfterTheCommit)
}

func versionsChangeAfterTheCommit(t *testing.T, d *database) {
	f := d.ledger(t)
	f.put(50, 0)
	a := accountCopy{id: "a"}
	twice := func(fail error) error {
		_, err := idem.RetryOnConflict(context.Background(), f.store, idem.Retry{}, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
			db := f.store.Use(ctx, tx)
			v, err := idem.UpdateVersion(ctx, db, d.dialect, &account, deduct, a.version, a.id, 1, 10)
			if err != nil {
				return idem.None{}, err
			}
			if v, err = idem.UpdateVersion(ctx, db, d.dialect, &account, deduct, v, a.id, 1, 10); err != nil {
				return idem.None{}, err
			}
			err = idem.AfterCommit(ctx, func(context.Context) { a.version = v })
			return idem.None{}, errors.Join(err, fail)
		})
		return err
	}
	if err := twice(errBusiness); !errors.Is(err, errBusiness) || a.version != 0 {
		t.Errorf("rolled back: %v, the struct has version %d", err, a.version)
	}
	f.is("rolled back", 50, "n", 0)
	for _, want := range []struct{ balance, version int64 }{{30, 2}, {10, 4}} {
		if err := twice(nil); err != nil || a.version != want.version {
			t.Errorf("committed: %v, the struct has version %d", err, a.version)
		}
		f.is("committed", want.balance, "n", want.version)
	}
}

// One statement for an update that applies, one more for one that does not, on one
// connection (V1).
func TestLaw_V1_Statements(t *testing.T) { on(t, everyDatabase, versionStatements) }

func versionStatements(t *testing.T, d *database) {
	f, w := d.wired(t)
	f.versioned()
	f.put(50, 0)
	run := func(want error, expected int64, amount int) func() {
		return func() {
			if _, err := f.update(deduct, expected, "a", 1, amount); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	f.sends(w, "an update", run(nil, 0, 10), "UPDATE")
	f.sends(w, "a conflict", run(idem.ErrConflict, 0, 10), "UPDATE", "SELECT")
	f.sends(w, "a failed condition", run(idem.ErrGuardFailed, 1, 41), "UPDATE", "SELECT")
}

// Of callers that read one version one updates; the others are told so, each in a
// transaction that goes on.
func TestLaw_V1_OneOfManyWins(t *testing.T) { on(t, everyDatabase, oneOfManyWins) }

func oneOfManyWins(t *testing.T, d *database) {
	f := d.ledger(t)
	f.db.SetMaxOpenConns(8)
	f.put(1000, 0)
	engine := idem.New(idem.GlobalScope, idem.WithTxRetries(50))
	results := make([]error, 64)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			_, results[i] = idem.Tx(context.Background(), engine, f.store, func(ctx context.Context, tx *sql.Tx) (idem.None, error) {
				_, err := idem.UpdateVersion(ctx, f.store.Use(ctx, tx), d.dialect, &account, deduct, 0, "a", 1, 10)
				if errors.Is(err, idem.ErrConflict) {
					return idem.None{}, errors.Join(err, f.effect(ctx, tx, "never"))
				}
				return idem.None{}, err
			})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range results {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, idem.ErrConflict):
			t.Error(err)
		}
	}
	if won != 1 || f.effects("never") != 0 {
		t.Errorf("%d won, %d effects of losers", won, f.effects("never"))
	}
	f.is("one of many", 990, "n", 1)
}
