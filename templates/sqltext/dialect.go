// Package sqltext writes the guarded SQL of generated code: constant,
// parameterised statements in three dialects.
//
// A dialect is one row of a table: how it quotes names, writes literals and
// numbers placeholders. OfMachine and OfEvent write the statements of a state
// machine: the guarded update of an event (S1) and its forms over many rows and
// with a record, the reads that say why it did not apply (S2), new rows and the
// history (S9). Versioned writes those of an optimistic lock. Values of callers are
// always placeholders; only states, which are constants of the program, become
// literals.
package sqltext

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// dialect is what differs between the databases.
type dialect struct {
	// quote writes one identifier.
	quote func(name string) string
	// placeholder writes the nth argument, from 1.
	placeholder func(n int) string
	// text writes a string literal.
	text func(s string) string
	// truth are the literals of false and true.
	truth [2]string
	// exact makes a text column compare byte by byte where the server's default, or
	// a collation of the column's own, would fold case or trim (S8).
	exact func(column string) string
	// lock ends a classifying read.
	lock string
	// now is the database's time, in µs since 1970: no session time zone touches it.
	now string
}

var (
	// SQLite takes a double-quoted name that is no column for a string, and says
	// nothing: backquotes make a misspelt column an error.
	sqlite = dialect{
		quote:       func(name string) string { return doubled(name, '`') },
		placeholder: func(int) string { return "?" },
		text:        func(s string) string { return doubled(s, '\'') },
		truth:       [2]string{"0", "1"},
		exact:       func(column string) string { return column + " COLLATE BINARY" },
		now:         "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)",
	}
	postgres = dialect{
		quote:       func(name string) string { return doubled(name, '"') },
		placeholder: func(n int) string { return "$" + strconv.Itoa(n) },
		text:        postgresText,
		truth:       [2]string{"FALSE", "TRUE"},
		exact:       func(column string) string { return column },
		now:         "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint)",
	}
	mysql = dialect{
		quote:       func(name string) string { return doubled(name, '`') },
		placeholder: func(int) string { return "?" },
		text:        mysqlText,
		truth:       [2]string{"0", "1"},
		exact:       func(column string) string { return "CAST(" + column + " AS BINARY)" },
		lock:        " FOR UPDATE",
		now:         "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))",
	}
)

// doubled encloses s in quotes and doubles those inside.
func doubled(s string, quote byte) string {
	q := string(quote)
	return q + strings.ReplaceAll(s, q, q+q) + q
}

// postgresText writes backslashes so that they mean the same whatever
// standard_conforming_strings says.
func postgresText(s string) string {
	if !strings.Contains(s, `\`) {
		return doubled(s, '\'')
	}
	return "E" + doubled(strings.ReplaceAll(s, `\`, `\\`), '\'')
}

// mysqlText writes texts with backslashes in hexadecimal: in a quoted literal
// they would mean one thing by default and another under NO_BACKSLASH_ESCAPES.
func mysqlText(s string) string {
	if !strings.Contains(s, `\`) {
		return doubled(s, '\'')
	}
	return "_utf8mb4 X'" + strings.ToUpper(hex.EncodeToString([]byte(s))) + "'"
}

// table writes a table name, schema first: "shop"."orders".
func (d *dialect) table(parts []string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = d.quote(p)
	}
	return strings.Join(quoted, ".")
}

// literal writes the value of a state.
func (d *dialect) literal(v model.SQLValue) string {
	switch {
	case v.Bool && v.Text == "true":
		return d.truth[1]
	case v.Bool:
		return d.truth[0]
	case v.Number:
		return v.Text
	}
	return d.text(v.Text)
}

// compared is a state column as it is compared with literals of the kind of v.
func (d *dialect) compared(column string, v model.SQLValue) string {
	if v.Bool || v.Number {
		return column
	}
	return d.exact(column)
}
