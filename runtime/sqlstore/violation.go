package sqlstore

import (
	"errors"
	"reflect"
	"strings"
)

// UniqueViolation tells whether a driver's error, anywhere in err, says that a
// unique index was violated, and which one. Postgres and MySQL name the index
// or constraint; a primary key is table_pkey and PRIMARY there. SQLite names
// the columns ("orders.shop, orders.no"), and the index only where it is one on
// expressions. The name is "" where the driver's error has none. It is safe
// for concurrent use.
func UniqueViolation(err error) (index string, ok bool) {
	var state interface {
		error
		SQLState() string
	}
	if errors.As(err, &state) {
		if state.SQLState() != "23505" {
			return "", false
		}
		return constraintOf(state), true
	}
	switch n, of := numberIn(err); {
	case of == mysqlNumber && n == 1062:
		return lastQuoted(textOf(err, "Duplicate entry"), '\''), true
	case of == sqliteNumber && n&0xff == 19: // any constraint: the text tells which
		return sqliteColumns(textOf(err, sqliteFailed))
	}
	return "", false
}

// constraintOf reads the field of pgx (ConstraintName) or lib/pq (Constraint),
// else the message.
func constraintOf(err error) string {
	if v := reflect.Indirect(reflect.ValueOf(err)); v.Kind() == reflect.Struct {
		for _, name := range [...]string{"ConstraintName", "Constraint"} {
			if f := v.FieldByName(name); f.IsValid() && f.Kind() == reflect.String {
				return f.String()
			}
		}
	}
	return lastQuoted(err.Error(), '"')
}

// lastQuoted is what stands between the last two quotes of a message; MySQL 8
// puts the table before the index.
func lastQuoted(text string, quote byte) string {
	end := strings.LastIndexByte(text, quote)
	if end < 0 {
		return ""
	}
	text = text[:end]
	text = text[strings.LastIndexByte(text, quote)+1:]
	return text[strings.LastIndexByte(text, '.')+1:]
}

const sqliteFailed = "UNIQUE constraint failed: "

func sqliteColumns(text string) (string, bool) {
	_, columns, ok := strings.Cut(text, sqliteFailed)
	if i := strings.LastIndex(columns, " ("); i >= 0 { // modernc adds the code
		columns = columns[:i]
	}
	if name, isIndex := strings.CutPrefix(columns, "index '"); isIndex {
		columns = strings.TrimSuffix(name, "'")
	}
	return columns, ok
}

// textOf is the text of the innermost error that contains a mark.
func textOf(err error, mark string) (text string) {
	walk(err, func(e error) bool {
		if s := e.Error(); strings.Contains(s, mark) {
			text = s
		}
		return true
	})
	return text
}
