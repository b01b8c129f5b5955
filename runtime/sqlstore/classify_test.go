package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// sqlState is what pgx and lib/pq have in common.
type sqlState string

func (s sqlState) Error() string    { return "server says " + string(s) }
func (s sqlState) SQLState() string { return string(s) }

// coded is a business error with a number of its own, as many have.
type coded int

func (c coded) Error() string { return fmt.Sprint("business code ", int(c)) }
func (c coded) Code() int     { return int(c) }

func TestLaw_T3_ErrorClasses(t *testing.T) {
	for _, c := range []struct {
		err      error
		class    Class
		answered bool
	}{
		{sqlState("40001"), ClassRetry, true},
		{sqlState("40P01"), ClassRetry, true},
		{sqlState("55P03"), ClassRetry, true},
		{sqlState("23505"), ClassOther, true},
		{sqlState("42P01"), ClassOther, true},
		{sqlState("08006"), ClassUnavailable, false},
		{sqlState("57P01"), ClassUnavailable, false},
		{sqlState("53300"), ClassUnavailable, true},
		{sqlState("40003"), ClassUnavailable, false},
		{fmt.Errorf("gateway: %w", sqlState("40001")), ClassRetry, true},
		{errors.Join(errors.New("first"), sqlState("40001")), ClassRetry, true},

		{errors.New("commit unexpectedly resulted in rollback"), ClassOther, true},
		{errors.New("pq: could not complete operation in a failed transaction"), ClassOther, true},
		{errors.New("conn closed"), ClassUnavailable, false},
		{errors.New("invalid connection"), ClassUnavailable, false},

		{errors.New("database is locked"), ClassRetry, true},
		{fmt.Errorf("insert: %w", errors.New("database is locked (5) (SQLITE_BUSY)")), ClassRetry, true},
		{errors.New("the account database is locked by its owner"), ClassOther, false},
		{errors.New("sql: database is closed"), ClassUnavailable, true},
		{driver.ErrBadConn, ClassUnavailable, false},
		{sql.ErrConnDone, ClassUnavailable, false},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), ClassUnavailable, false},
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, ClassUnavailable, false},

		{sql.ErrTxDone, ClassOther, false},
		{context.Canceled, ClassOther, false},
		{context.DeadlineExceeded, ClassOther, false},
		{coded(5), ClassOther, false},
		{coded(1213), ClassOther, false},
		{errors.New("sold out"), ClassOther, false},
		{nil, ClassOther, true},
	} {
		if class, answered := Classify(c.err); class != c.class || answered != c.answered {
			t.Errorf("%v: class %d, answered %v; want %d, %v", c.err, class, answered, c.class, c.answered)
		}
	}
}

// A closed database is no secret of this package: the text is database/sql's.
func TestClosedDatabaseText(t *testing.T) {
	db := sql.OpenDB(nowhere{})
	db.Close()
	if err := db.Ping(); err == nil || !strings.HasPrefix(err.Error(), "sql: database is closed") {
		t.Errorf("%v", err)
	}
}

// nowhere is a connector that is never asked.
type nowhere struct{ driver.Connector }

func (nowhere) Driver() driver.Driver { return nil }
