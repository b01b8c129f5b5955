package idem

import (
	"context"
	"fmt"
	"math"
	"strconv"
)

// VersionInfo is an optimistically locked struct as data: generated, read only
// and safe for concurrent use.
type VersionInfo struct {
	Name  string // Account
	Table string // as written, for messages
	// Select is the classifying read of updates without a where= of their own:
	// the version of the row; no row when there is none. A locking read on MySQL.
	Select VersionSQL
}

// UpdateInfo is one update of a versioned struct with its statements.
type UpdateInfo struct {
	Name string // Deduct
	// Update is one UPDATE that sets the columns of the update and version + 1
	// where key, version and all predicates match (V1).
	Update VersionSQL
	// Check is the classifying read of an update that has a where= of its own: two
	// columns, the version and 1 where that predicate holds, else 0. Zero:
	// VersionInfo.Select is used.
	Check VersionSQL
}

// VersionSQL is one statement in every dialect. Its nth placeholder stands for
// the argument of UpdateVersion that Args[n] is the index of; 0 is the expected
// version, and args count from 1.
type VersionSQL struct {
	SQLite, Postgres, MySQL string
	Args                    []int
}

// text is the statement of a dialect, "" for an unknown one.
func (s *VersionSQL) text(d Dialect) string {
	sql := SQL{SQLite: s.SQLite, Postgres: s.Postgres, MySQL: s.MySQL}
	return sql.For(d)
}

// VersionKind says why an update was not applied (V1).
type VersionKind uint8

// Version kinds. The zero value is none of them.
const (
	VersionNotFound VersionKind = iota + 1 // there is no such row
	VersionConflict                        // the row has another version than expected
	VersionGuard                           // the row has the expected version, but the update's where= does not hold
)

// String returns the kind in lower case.
func (k VersionKind) String() string {
	if int(k) < len(versionNames) {
		return versionNames[k]
	}
	return versionNames[0]
}

var versionNames = [...]string{"invalid", "not found", "version conflict", "guard failed"}

// VersionError is an update that was not applied. errors.Is finds the sentinel
// of its kind: ErrNotFound, ErrConflict or ErrGuardFailed.
type VersionError struct {
	Name     string // Account
	Update   string // Deduct
	Kind     VersionKind
	Expected int64 // the version that the caller had read
	Actual   int64 // the version that the row has; -1 when there is no row
}

// Error tells struct, update, kind and both versions of a conflict.
func (e *VersionError) Error() string {
	s := "idem: " + e.Name + "." + e.Update + ": " + e.Kind.String()
	switch {
	case e.Kind == VersionConflict && e.Actual != e.Expected:
		s += ": expected version " + strconv.FormatInt(e.Expected, 10) + ", the row has " + strconv.FormatInt(e.Actual, 10)
	case e.Kind == VersionConflict:
		s += ": the row changed while it was updated"
	}
	return s
}

// Is tells whether target is the sentinel of the kind.
func (e *VersionError) Is(target error) bool {
	switch e.Kind {
	case VersionNotFound:
		return target == ErrNotFound
	case VersionConflict:
		return target == ErrConflict
	case VersionGuard:
		return target == ErrGuardFailed
	}
	return false
}

// NilStruct is the error of an update that was given no struct: ErrInvalidOp.
func NilStruct(v *VersionInfo, u *UpdateInfo) error {
	return fmt.Errorf("%w: %s.%s of a nil *%s", ErrInvalidOp, v.Name, u.Name, v.Name)
}

// UpdateVersion runs one update on the row that has the expected version and
// returns the version that it has now, expected + 1 (V2). Version 0 is a version;
// a negative one, AnyVersion too, is ErrInvalidOp, since an update that takes
// any version loses other callers' writes (V1). args are the keys and then the
// parameters of the update.
//
// It is one statement. When no row matched, one read on the same connection says
// why: *VersionError. A driver error is returned as it is, and is none of these.
// What counts is rows matched: the version changes with every update, so that no
// driver's setting can hide a match. Nothing in memory changes (T7): until the
// transaction has committed the new version is only what this transaction may
// expect next. db is used by one call at a time.
func UpdateVersion(ctx context.Context, db DB, d Dialect, v *VersionInfo, u *UpdateInfo, expected int64, args ...any) (int64, error) {
	query := u.Update.text(d)
	switch {
	case query == "":
		return 0, fmt.Errorf("idem: %s.%s: unknown SQL dialect %d", v.Name, u.Name, d)
	case expected < 0 || expected == math.MaxInt64:
		return 0, fmt.Errorf("%w: %s.%s: %d can't be the expected version", ErrInvalidOp, v.Name, u.Name, expected)
	}
	res, err := db.Exec(ctx, query, u.Update.arguments(expected, args)...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	switch {
	case err != nil:
		return 0, err
	case n == 1:
		return expected + 1, nil
	case n > 1:
		return 0, fmt.Errorf("%w: %s.%s: %d rows of %s were updated: the key must select one", ErrInvalidOp, v.Name, u.Name, n, v.Table)
	}
	return 0, notUpdated(ctx, db, d, v, u, expected, args)
}

// notUpdated reads the row and says why the update did not match it.
func notUpdated(ctx context.Context, db DB, d Dialect, v *VersionInfo, u *UpdateInfo, expected int64, args []any) error {
	var version any
	holds := int64(1)
	read, dest := &v.Select, []any{&version}
	if u.Check.text(d) != "" {
		read, dest = &u.Check, append(dest, &holds)
	}
	found, err := queryVersion(ctx, db, read.text(d), read.arguments(expected, args), dest)
	if err != nil {
		return err
	}
	out := &VersionError{Name: v.Name, Update: u.Name, Kind: VersionNotFound, Expected: expected, Actual: -1}
	if !found {
		return out
	}
	if out.Actual, err = ScanInt(v.Name, version); err != nil {
		return fmt.Errorf("idem: %s.%s: the row's version is no integer: %v", v.Name, u.Name, version)
	}
	out.Kind = VersionConflict
	if out.Actual == expected && holds == 0 {
		out.Kind = VersionGuard
	}
	return out
}

// arguments puts the arguments into the order of the placeholders.
func (s *VersionSQL) arguments(expected int64, args []any) []any {
	out := make([]any, len(s.Args))
	for i, n := range s.Args {
		if out[i] = any(expected); n > 0 {
			out[i] = args[n-1]
		}
	}
	return out
}

// errSeveralRows: a key that selects more than one row.
var errSeveralRows = fmt.Errorf("%w: the key of a versioned row selects several", ErrInvalidOp)

// queryVersion scans the only row of a query.
func queryVersion(ctx context.Context, db DB, query string, args, dest []any) (found bool, err error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	for rows.Next() {
		if found {
			return false, errSeveralRows
		}
		if err := rows.Scan(dest...); err != nil {
			return false, err
		}
		found = true
	}
	return found, rows.Err()
}
