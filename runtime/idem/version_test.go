package idem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// rowDB is a connection that answers each statement as told, and notes it.
type rowDB struct {
	matched int64
	err     error   // of the update
	rows    [][]any // of the read
	log     []string
}

func (d *rowDB) Exec(_ context.Context, query string, args ...any) (idem.Result, error) {
	d.log = append(d.log, fmt.Sprint(query, args))
	return affected(d.matched), d.err
}

func (d *rowDB) Query(_ context.Context, query string, args ...any) (idem.Rows, error) {
	d.log = append(d.log, fmt.Sprint(query, args))
	return &listRows{rows: d.rows}, nil
}

type affected int64

func (n affected) RowsAffected() (int64, error) { return int64(n), nil }
func (affected) LastInsertId() (int64, error)   { return 0, errors.New("not asked for") }

type listRows struct {
	rows [][]any
	at   int
}

func (r *listRows) Next() bool { r.at++; return r.at <= len(r.rows) }
func (r *listRows) Scan(dest ...any) error {
	if len(dest) != len(r.rows[r.at-1]) {
		return fmt.Errorf("%d columns into %d", len(r.rows[r.at-1]), len(dest))
	}
	for i, v := range r.rows[r.at-1] {
		if p := reflect.ValueOf(dest[i]).Elem(); v == nil {
			p.SetZero()
		} else {
			p.Set(reflect.ValueOf(v))
		}
	}
	return nil
}
func (*listRows) Err() error   { return nil }
func (*listRows) Close() error { return nil }

var (
	account = idem.VersionInfo{Name: "Account", Table: "accounts", Select: idem.VersionSQL{SQLite: "read", Postgres: "read-pg", MySQL: "read-my", Args: []int{1}}}
	touch   = idem.UpdateInfo{Name: "Touch", Update: idem.VersionSQL{SQLite: "touch", Postgres: "touch-pg", MySQL: "touch-my", Args: []int{1, 0}}}
	deduct  = idem.UpdateInfo{
		Name:   "Deduct",
		Update: idem.VersionSQL{SQLite: "deduct", Postgres: "deduct-pg", MySQL: "deduct-my", Args: []int{2, 1, 0, 2}},
		Check:  idem.VersionSQL{SQLite: "check", Postgres: "check-pg", MySQL: "check-my", Args: []int{2, 1}},
	}
)

// What did not match is told apart by one read; a driver error is none of it (V1).
func TestLaw_V1_WhyAnUpdateDidNotMatch(t *testing.T) {
	broken := errors.New("connection reset")
	for _, c := range []struct {
		name string
		db   rowDB
		up   *idem.UpdateInfo
		kind idem.VersionKind
		is   error
		text string
	}{
		{"no row", rowDB{}, &touch, idem.VersionNotFound, idem.ErrNotFound, "idem: Account.Touch: not found"},
		{"stale", rowDB{rows: [][]any{{int64(9)}}}, &touch, idem.VersionConflict, idem.ErrConflict, "idem: Account.Touch: version conflict: expected version 7, the row has 9"},
		{"stale, as bytes", rowDB{rows: [][]any{{[]byte("9")}}}, &touch, idem.VersionConflict, idem.ErrConflict, "the row has 9"},
		{"came back", rowDB{rows: [][]any{{int64(7)}}}, &touch, idem.VersionConflict, idem.ErrConflict, "the row changed while it was updated"},
		{"no such row", rowDB{}, &deduct, idem.VersionNotFound, idem.ErrNotFound, "not found"},
		{"stale and poor", rowDB{rows: [][]any{{int64(9), int64(0)}}}, &deduct, idem.VersionConflict, idem.ErrConflict, "the row has 9"},
		{"poor", rowDB{rows: [][]any{{int64(7), int64(0)}}}, &deduct, idem.VersionGuard, idem.ErrGuardFailed, "idem: Account.Deduct: guard failed"},
		{"rich again", rowDB{rows: [][]any{{int64(7), int64(1)}}}, &deduct, idem.VersionConflict, idem.ErrConflict, "the row changed"},
		{"NULL", rowDB{rows: [][]any{{nil}}}, &touch, 0, nil, "the row's version is no integer"},
		{"two rows", rowDB{rows: [][]any{{int64(7)}, {int64(8)}}}, &touch, 0, idem.ErrInvalidOp, "selects several"},
		{"two rows updated", rowDB{matched: 2}, &touch, 0, idem.ErrInvalidOp, "2 rows of accounts were updated"},
		{"broken", rowDB{err: broken}, &touch, 0, broken, "connection reset"},
	} {
		got, err := idem.UpdateVersion(context.Background(), &c.db, idem.SQLite, &account, c.up, 7, "a", 5)
		var ve *idem.VersionError
		if errors.As(err, &ve) != (c.kind != 0) || ve != nil && (ve.Kind != c.kind || ve.Expected != 7) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got != 0 || err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %d, %v", c.name, got, err)
		}
		for _, other := range []error{idem.ErrNotFound, idem.ErrConflict, idem.ErrGuardFailed} {
			if other != c.is && errors.Is(err, other) {
				t.Errorf("%s is %v as well", c.name, other)
			}
		}
	}
}

// A version is required, 0 is one, and no number says that any will do (V1). It
// returns what the row has now (V2).
func TestLaw_V1_ZeroIsAVersion(t *testing.T) {
	for _, v := range []int64{0, 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxInt64 - 1} {
		db := &rowDB{matched: 1}
		got, err := idem.UpdateVersion(context.Background(), db, idem.SQLite, &account, &touch, v, "a")
		if want := fmt.Sprintf("touch[a %d]", v); got != v+1 || err != nil || len(db.log) != 1 || db.log[0] != want {
			t.Errorf("%d: %d, %v, %q", v, got, err, db.log)
		}
	}
	for _, v := range []int64{-1, math.MinInt64, math.MaxInt64} {
		db := &rowDB{matched: 1}
		if got, err := idem.UpdateVersion(context.Background(), db, idem.SQLite, &account, &touch, v, "a"); got != 0 || !errors.Is(err, idem.ErrInvalidOp) || len(db.log) > 0 {
			t.Errorf("%d: %d, %v, %q", v, got, err, db.log)
		}
	}
}

// Each dialect has its statement; arguments follow the placeholders.
func TestLaw_V1_OneStatementAndOneRead(t *testing.T) {
	for d, suffix := range map[idem.Dialect]string{idem.SQLite: "", idem.Postgres: "-pg", idem.MySQL: "-my"} {
		db := &rowDB{rows: [][]any{{int64(7), int64(0)}}}
		_, err := idem.UpdateVersion(context.Background(), db, d, &account, &deduct, 7, "a", 5)
		want := []string{"deduct" + suffix + "[5 a 7 5]", "check" + suffix + "[5 a]"}
		if !errors.Is(err, idem.ErrGuardFailed) || !reflect.DeepEqual(db.log, want) {
			t.Errorf("%v: %v, %q", d, err, db.log)
		}
	}
	if _, err := idem.UpdateVersion(context.Background(), &rowDB{}, 0, &account, &touch, 7, "a"); err == nil || !strings.Contains(err.Error(), "unknown SQL dialect") {
		t.Errorf("no dialect: %v", err)
	}
}

func TestVersionKindsHaveNames(t *testing.T) {
	for k, want := range map[idem.VersionKind]string{0: "invalid", idem.VersionNotFound: "not found", idem.VersionConflict: "version conflict", idem.VersionGuard: "guard failed", 9: "invalid"} {
		if got := k.String(); got != want {
			t.Errorf("%d: %q", k, got)
		}
	}
}
