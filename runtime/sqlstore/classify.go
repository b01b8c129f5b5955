package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Class says what an error of a database means to a caller.
type Class uint8

const (
	// ClassOther is an error like any other: a bad statement, a violated
	// constraint, a missing table.
	ClassOther Class = iota
	// ClassRetry is a deadlock, a serialization failure or a lock that was not
	// to be had: the same in a new transaction may well succeed (T3).
	ClassRetry
	// ClassUnavailable is a database that can't be reached or can't store (C15).
	ClassUnavailable
)

// A Classifier tells the class of an error that a driver returned, and whether
// the database itself gave that answer: a COMMIT that it refused has certainly
// failed, one whose answer never came may have happened (T8). It must be safe
// for concurrent use.
type Classifier func(err error) (class Class, answered bool)

// codeRule is one row of a dialect's table of codes. A code matches when it
// starts with prefix, so that a whole SQLSTATE class is one row.
type codeRule struct {
	prefix string
	class  Class
	// silent marks codes after which nobody knows what became of a COMMIT.
	silent bool
}

var sqlStateRules = []codeRule{
	{prefix: "40001", class: ClassRetry},                     // serialization_failure
	{prefix: "40P01", class: ClassRetry},                     // deadlock_detected
	{prefix: "55P03", class: ClassRetry},                     // lock_not_available
	{prefix: "40003", class: ClassUnavailable, silent: true}, // statement_completion_unknown
	{prefix: "08", class: ClassUnavailable, silent: true},    // connection exceptions
	{prefix: "57P", class: ClassUnavailable, silent: true},   // shutdown, crash, starting up
	{prefix: "53", class: ClassUnavailable},                  // out of disk, memory or connections
	{prefix: "58", class: ClassUnavailable, silent: true},    // system and I/O errors
	{prefix: "25006", class: ClassUnavailable},               // a read-only standby
	{prefix: "25P03", class: ClassUnavailable},               // ended: idle in a transaction for too long
	{prefix: "25P04", class: ClassUnavailable},               // ended: in a transaction for too long
}

// sqliteRules hold primary codes of SQLite.
var sqliteRules = map[int]codeRule{
	5:  {class: ClassRetry},                     // SQLITE_BUSY
	6:  {class: ClassRetry},                     // SQLITE_LOCKED
	7:  {class: ClassUnavailable},               // SQLITE_NOMEM
	8:  {class: ClassUnavailable},               // SQLITE_READONLY
	10: {class: ClassUnavailable, silent: true}, // SQLITE_IOERR
	11: {class: ClassUnavailable, silent: true}, // SQLITE_CORRUPT
	13: {class: ClassUnavailable},               // SQLITE_FULL
	14: {class: ClassUnavailable},               // SQLITE_CANTOPEN
	15: {class: ClassRetry},                     // SQLITE_PROTOCOL
	26: {class: ClassUnavailable},               // SQLITE_NOTADB
}

// mysqlRules hold error numbers of MySQL and MariaDB. Many of them would be an
// extended code of SQLite, were they taken for one.
var mysqlRules = map[int]codeRule{
	1020: {class: ClassRetry},                     // record has changed since last read
	1205: {class: ClassRetry},                     // lock wait timeout
	1213: {class: ClassRetry},                     // deadlock
	3572: {class: ClassRetry},                     // NOWAIT found a lock
	1021: {class: ClassUnavailable},               // disk full
	1040: {class: ClassUnavailable},               // too many connections
	1047: {class: ClassUnavailable},               // a cluster's node that is not ready
	1053: {class: ClassUnavailable, silent: true}, // shutdown in progress
	1114: {class: ClassUnavailable},               // table is full
	1203: {class: ClassUnavailable},               // too many connections of the user
	1290: {class: ClassUnavailable},               // read only
	1836: {class: ClassUnavailable},               // read only
	1927: {class: ClassUnavailable, silent: true}, // connection was killed
	2002: {class: ClassUnavailable, silent: true},
	2003: {class: ClassUnavailable, silent: true},
	2006: {class: ClassUnavailable, silent: true},
	2013: {class: ClassUnavailable, silent: true},
	4031: {class: ClassUnavailable, silent: true}, // ended: idle for too long
}

// textRules serve drivers, and errors of database/sql, that give nothing but
// words. A text matches whole, or up to a colon or a bracket, so that a business
// error which merely quotes one, or goes on in words, is not taken for it.
var textRules = []struct {
	prefix string
	rule   codeRule
}{
	{"database is locked", codeRule{class: ClassRetry}},
	{"database table is locked", codeRule{class: ClassRetry}},
	{"sqlite3: database is locked", codeRule{class: ClassRetry}},
	{"sqlite3: database table is locked", codeRule{class: ClassRetry}},
	{"sql: database is closed", codeRule{class: ClassUnavailable}},
	{"unable to open database file", codeRule{class: ClassUnavailable}},
	{"sqlite3: unable to open database file", codeRule{class: ClassUnavailable}},
	{"invalid connection", codeRule{class: ClassUnavailable, silent: true}},
	{"conn closed", codeRule{class: ClassUnavailable, silent: true}},
	// COMMIT was answered by ROLLBACK (T5): a failure like any other.
	{"commit unexpectedly resulted in rollback", codeRule{class: ClassOther}},
	{"pq: could not complete operation in a failed transaction", codeRule{class: ClassOther}},
}

// Classify is the Classifier of all dialects. It knows errors by what they
// can tell (an SQLSTATE, a number, an extended code), else by their words, and
// so imports no driver.
func Classify(err error) (Class, bool) {
	switch {
	case err == nil:
		return ClassOther, true
	case errors.Is(err, sql.ErrTxDone):
		return ClassOther, false
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ClassOther, false
	}
	if rule, known := ruleOf(err); known {
		return rule.class, !rule.silent
	}
	if unreachable(err) {
		return ClassUnavailable, false
	}
	rule, known := textRule(err)
	return rule.class, known && !rule.silent
}

func textRule(err error) (rule codeRule, known bool) {
	walk(err, func(e error) bool {
		text := e.Error()
		for _, r := range textRules {
			rest, begins := strings.CutPrefix(text, r.prefix)
			if begins && (rest == "" || rest[0] == ':' || strings.HasPrefix(rest, " (")) {
				rule, known = r.rule, true
				return false
			}
		}
		return true
	})
	return rule, known
}

// ruleOf looks for a code in the error's tree. A code without a rule of its
// own is still an answer of the database.
func ruleOf(err error) (codeRule, bool) {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		for _, r := range sqlStateRules {
			if strings.HasPrefix(state.SQLState(), r.prefix) {
				return r, true
			}
		}
		return codeRule{}, true
	}
	switch n, of := numberIn(err); of {
	case sqliteNumber:
		return sqliteRules[n&0xff], true // an extended code has the primary one in its low byte
	case mysqlNumber:
		return mysqlRules[n], true
	}
	return codeRule{}, false
}

// walk visits an error and all that it wraps until visit returns false.
func walk(err error, visit func(error) bool) bool {
	if err == nil {
		return true
	}
	if !visit(err) {
		return false
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return walk(e.Unwrap(), visit)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if !walk(inner, visit) {
				return false
			}
		}
	}
	return true
}

func unreachable(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.As(err, &op) || errors.As(err, &dns)
}

// sentinels give each class its error of the core.
var sentinels = [...]error{
	ClassOther:       nil,
	ClassRetry:       idem.ErrRetryTransaction,
	ClassUnavailable: idem.ErrStoreUnavailable,
}
