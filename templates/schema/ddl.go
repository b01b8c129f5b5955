package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// Options choose among the forms of a schema. The zero value is the default.
type Options struct {
	// Alter adds columns to guarded tables that exist; by default the tables are
	// made, with the columns that are known.
	Alter bool `json:"alter,omitempty"`
	// Enum holds text states in a native ENUM where the dialect has one (Postgres,
	// MySQL); by default a CHECK says what the column may hold.
	Enum bool `json:"enum,omitempty"`
}

// maxName is the longest name that every dialect keeps whole, in bytes (Postgres).
const maxName = 63

// writer writes the statements of one dialect.
type writer struct {
	d    sqltext.Dialect
	o    Options
	list []string
	note []string
}

func (w *writer) add(format string, args ...any) {
	w.list = append(w.list, fmt.Sprintf(format, args...))
}

func (w *writer) notef(format string, args ...any) {
	w.note = append(w.note, fmt.Sprintf(format, args...))
}

// Create is the DDL of a schema that the database has nothing of yet.
func Create(d sqltext.Dialect, s Schema, o Options) Script {
	w := &writer{d: d, o: o}
	for i := range s.Tables {
		w.table(&s.Tables[i])
	}
	for i := range s.History {
		w.history(&s.History[i])
	}
	return Script{Dialect: d, Options: o, Schema: s, Statements: w.list, Notes: w.note}
}

// table makes a guarded table, or adds the columns to it.
func (w *writer) table(t *Table) {
	if w.o.Alter {
		for i := range t.States {
			w.addState(t, &t.States[i])
		}
		if t.Version != "" {
			w.addVersion(t)
		}
		if t.Fence != "" {
			w.addFence(t)
		}
		return
	}
	for i := range t.States {
		w.enumType(t, &t.States[i], w.enumName(t, &t.States[i]))
	}
	var lines []string
	for _, c := range t.Key {
		lines = append(lines, w.d.Name(c.Name)+" "+w.columnType(c.Type)+" NOT NULL")
	}
	for i := range t.States {
		lines = append(lines, w.stateColumn(t, &t.States[i]))
	}
	if t.Version != "" {
		lines = append(lines, w.versionColumn(t))
	}
	if t.Fence != "" {
		lines = append(lines, w.fenceColumn(t))
	}
	for _, c := range t.Others {
		lines = append(lines, w.d.Name(c.Name)+" "+w.columnType(c.Type)+" NULL")
	}
	var key []string
	for _, c := range t.Key {
		key = append(key, w.d.Name(c.Name))
	}
	lines = append(lines, "PRIMARY KEY ("+strings.Join(key, ", ")+")")
	for i := range t.States {
		if check := w.check(t, &t.States[i]); check != "" {
			lines = append(lines, check)
		}
	}
	w.add("CREATE TABLE %s (\n\t%s\n)", w.d.Table(t.Name), strings.Join(lines, ",\n\t"))
	for i := range t.States {
		w.triggers(t, &t.States[i])
	}
	w.notef("%s has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.", joined(t.Name))
}

func (w *writer) versionColumn(t *Table) string {
	return w.d.Name(t.Version) + " " + w.columnType(TypeInt) + " NOT NULL DEFAULT 0"
}

func (w *writer) fenceColumn(t *Table) string {
	return w.d.Name(t.Fence) + " " + w.columnType(TypeInt) + " NULL"
}

func (w *writer) addVersion(t *Table) { w.addColumn(t, w.versionColumn(t)) }

func (w *writer) addFence(t *Table) { w.addColumn(t, w.fenceColumn(t)) }

func (w *writer) addColumn(t *Table, definition string) {
	w.add("ALTER TABLE %s ADD COLUMN %s", w.d.Table(t.Name), definition)
}

// addState adds a state column to a table that has rows: they are in the initial state.
func (w *writer) addState(t *Table, s *StateColumn) {
	w.enumType(t, s, w.enumName(t, s))
	w.addColumn(t, w.stateColumn(t, s))
	w.addCheck(t, s)
	w.triggers(t, s)
}

// addCheck adds the CHECK of a state column to a table that exists.
func (w *writer) addCheck(t *Table, s *StateColumn) {
	if check := w.check(t, s); check != "" {
		w.add("ALTER TABLE %s ADD %s", w.d.Table(t.Name), check)
	}
}

// stateColumn defines a state column.
func (w *writer) stateColumn(t *Table, s *StateColumn) string {
	return w.d.Name(s.Name) + " " + w.stateType(t, s) + " NOT NULL DEFAULT " + w.literal(s, s.Initial)
}

// stateType is the column type of states.
func (w *writer) stateType(t *Table, s *StateColumn) string {
	switch {
	case w.isEnum(s) && w.d == sqltext.Postgres:
		return w.inSchema(t.Name, w.enumName(t, s))
	case w.isEnum(s):
		return "ENUM(" + w.values(s) + ") CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	case s.Type == TypeText && w.d == sqltext.MySQL:
		return mysqlText(width(s.Values))
	}
	return w.columnType(s.Type)
}

// mysqlText is a text column that compares byte by byte and holds n characters,
// with room for longer states to come.
func mysqlText(n int) string {
	size := 64
	for size < n {
		size *= 4
	}
	return fmt.Sprintf("VARCHAR(%d) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", size)
}

// columnTypes are the types in the order of sqltext.Dialects.
var columnTypes = map[Type][len(sqltext.Dialects)]string{
	TypeText:  {"TEXT", "TEXT", "VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"},
	TypeBytes: {"BLOB", "BYTEA", "VARBINARY(255)"},
	TypeInt:   {"INTEGER", "BIGINT", "BIGINT"},
	TypeUint:  {"INTEGER", "BIGINT", "BIGINT UNSIGNED"},
	TypeBool:  {"BOOLEAN", "BOOLEAN", "BOOLEAN"},
	TypeUUID:  {"TEXT", "UUID", "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin"},
	TypeTime:  {"TIMESTAMP", "TIMESTAMPTZ", "DATETIME(6)"},
}

func (w *writer) columnType(t Type) string { return columnTypes[t][w.d] }

// literal writes a state as its column holds it. In the DDL of MySQL a text with a
// backslash is written as bytes: an ENUM takes no character set in front, and a
// CHECK forgets it.
func (w *writer) literal(s *StateColumn, value string) string {
	if w.d == sqltext.MySQL && s.Type == TypeText && strings.Contains(value, `\`) {
		return "X'" + strings.ToUpper(hex.EncodeToString([]byte(value))) + "'"
	}
	return w.d.Literal(model.SQLValue{Text: value, Number: s.Type == TypeInt || s.Type == TypeUint, Bool: s.Type == TypeBool})
}

// values lists the states.
func (w *writer) values(s *StateColumn) string {
	var out []string
	for _, v := range s.Values {
		out = append(out, w.literal(s, v))
	}
	return strings.Join(out, ", ")
}

// isEnum tells whether a state column has a native type.
func (w *writer) isEnum(s *StateColumn) bool {
	return w.o.Enum && s.Type == TypeText && w.d != sqltext.SQLite
}

// enumType makes the type of an enum column: on Postgres it stands alone.
func (w *writer) enumType(t *Table, s *StateColumn, name string) {
	if w.isEnum(s) && w.d == sqltext.Postgres {
		w.add("CREATE TYPE %s AS ENUM (%s)", w.inSchema(t.Name, name), w.values(s))
	}
}

func (w *writer) enumName(t *Table, s *StateColumn) string { return name(t, s.Name) }

// check is the CHECK of a state column, "" where something else does its work: the
// type of an ENUM, a trigger on SQLite, which can't alter a CHECK.
func (w *writer) check(t *Table, s *StateColumn) string {
	if w.isEnum(s) || w.d == sqltext.SQLite {
		return ""
	}
	return "CONSTRAINT " + w.d.Name(checkName(t, s)) + " CHECK (" + w.isState(s, w.d.Name(s.Name)) + ")"
}

func checkName(t *Table, s *StateColumn) string { return name(t, s.Name, "states") }

// isState is the predicate that a column holds a state. On MySQL a text is compared
// as bytes: a collation would fold, and blanks at the end would not count.
func (w *writer) isState(s *StateColumn, column string) string {
	if w.d == sqltext.MySQL && s.Type == TypeText {
		column = "CAST(" + column + " AS BINARY)"
	}
	return column + " IN (" + w.values(s) + ")"
}

// triggers stand for the CHECK on SQLite: they can be replaced in a transaction
// without a copy of the table, whose other columns are not known here.
func (w *writer) triggers(t *Table, s *StateColumn) {
	if w.d != sqltext.SQLite {
		return
	}
	table, column := w.d.Name(t.Name[len(t.Name)-1]), w.d.Name(s.Name)
	for _, on := range triggerEvents {
		when := "INSERT"
		if on == "update" {
			when = "UPDATE OF " + column
		}
		w.add("CREATE TRIGGER %s BEFORE %s ON %s WHEN NOT (%s)\nBEGIN SELECT RAISE(ABORT, %s); END",
			w.inSchema(t.Name, triggerName(t, s, on)), when, table, w.isState(s, "NEW."+column),
			w.d.Text(joined(t.Name)+"."+s.Name+" is no state of "+s.Machine))
	}
}

var triggerEvents = [...]string{"insert", "update"}

func triggerName(t *Table, s *StateColumn, on string) string { return name(t, s.Name, "states", on) }

// name joins the last part of a table's name with words, cut to what every dialect
// keeps, and then with a hash of the whole.
func name(t *Table, words ...string) string {
	return short(strings.Join(append([]string{t.Name[len(t.Name)-1]}, words...), "_"))
}

func short(s string) string {
	if len(s) <= maxName {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	tail := "_" + hex.EncodeToString(sum[:4])
	return strings.ToValidUTF8(s[:maxName-len(tail)], "") + tail
}

// inSchema quotes a name in the schema of a table.
func (w *writer) inSchema(table []string, name string) string {
	return w.d.Table(append(append([]string{}, table[:len(table)-1]...), name))
}
