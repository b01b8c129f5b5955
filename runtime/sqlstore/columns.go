package sqlstore

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// columnKind is what a column holds. Keys and other hashes are bytes and are
// compared as bytes (K2), times are whole microseconds (C8).
type columnKind uint8

const (
	bytesColumn columnKind = iota // of one length
	textColumn                    // at most 255 bytes, for people
	intColumn                     // 64 bits
	smallColumn
)

// column is one column of a table. NULL means that there is no such thing:
// no owner yet, no end.
type column struct {
	name string
	kind columnKind
	size int // of bytes
	null bool
}

// columnTypes are the types of a kind, by dialect.
var columnTypes = [...][smallColumn + 1]string{
	idem.SQLite:   {"BLOB", "TEXT", "INTEGER", "INTEGER"},
	idem.Postgres: {"bytea", "text", "bigint", "smallint"},
	idem.MySQL:    {"BINARY(%d)", "VARCHAR(255) CHARACTER SET utf8mb4", "BIGINT", "TINYINT"},
}

// create are the statements that make a table whose first column is its primary
// key, with an index on expires_at for pruning.
func (d *dialect) create(t tableName, columns []column) []string {
	var lines []string
	for i, c := range columns {
		typ := columnTypes[d.id][c.kind]
		if strings.Contains(typ, "%d") {
			typ = fmt.Sprintf(typ, c.size)
		}
		line := c.name + " " + typ
		if !c.null {
			line += " NOT NULL"
		}
		if i == 0 {
			line += " PRIMARY KEY"
		}
		lines = append(lines, line)
	}
	if d.id == idem.MySQL { // which can't make an index only if there is none
		lines = append(lines, "KEY expires (expires_at)")
	}
	table := `CREATE TABLE IF NOT EXISTS ` + d.quoted(t) + " (\n\t" + strings.Join(lines, ",\n\t") + "\n)"
	index := t.sibling("_expires")
	bare := func(name tableName) string { return d.quoteName(name[len(name)-1]) }
	const on = ` (expires_at) WHERE expires_at IS NOT NULL`
	switch d.id {
	case idem.MySQL:
		return []string{table + " ENGINE = InnoDB"}
	case idem.SQLite: // where the index names the schema, and the table in it does not
		return []string{table + " WITHOUT ROWID", `CREATE INDEX IF NOT EXISTS ` + d.quoted(index) + ` ON ` + bare(t) + on}
	default:
		return []string{table, `CREATE INDEX IF NOT EXISTS ` + bare(index) + ` ON ` + d.quoted(t) + on}
	}
}
