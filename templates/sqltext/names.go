package sqltext

import "github.com/idemgen/idemgen/internal/model"

// Dialect is one of the SQL dialects, for those who write statements of their own
// (the schema emitter). The zero value is SQLite.
type Dialect uint8

// Dialects.
const (
	SQLite Dialect = iota
	Postgres
	MySQL
)

// Dialects are all dialects, in the order in which they are listed everywhere.
var Dialects = [...]Dialect{SQLite, Postgres, MySQL}

// String is the name that the command's -dialect takes.
func (d Dialect) String() string { return [...]string{"sqlite", "postgres", "mysql"}[d] }

func (d Dialect) dialect() *dialect { return [...]*dialect{&sqlite, &postgres, &mysql}[d] }

// Name quotes a name.
func (d Dialect) Name(name string) string { return d.dialect().quote(name) }

// Table quotes the name of a table, schema first.
func (d Dialect) Table(parts []string) string { return d.dialect().table(parts) }

// Text writes a text literal.
func (d Dialect) Text(s string) string { return d.dialect().text(s) }

// Literal writes a state's value.
func (d Dialect) Literal(v model.SQLValue) string { return d.dialect().literal(v) }
