package sqltext

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Postgres gives a placeholder the type of its place, and :region IS NULL has none
// to give: it refuses the statement. A parameter that is tested so is cast to what
// its Go type is written as; where that is not known the database tells its user.

// nullTested tells whether the parameter f[i] stands in front of IS.
func nullTested(f model.Frag, i int) bool {
	for _, t := range f[i+1:] {
		if t.Kind != model.FragSpace {
			return t.Kind == model.FragWord && nullTests[strings.ToUpper(t.Text)]
		}
	}
	return false
}

var nullTests = map[string]bool{"IS": true, "ISNULL": true, "NOTNULL": true}

// postgresType is the type of Postgres that holds the values of a parameter, "" for
// one that is not known. A pointer is what it points to, or NULL.
func postgresType(p model.SQLParam) string {
	name := ""
	for _, t := range p.Type {
		if t.Kind == model.TokQual {
			name += t.Import.Path + "."
		}
		name += t.Text
	}
	if known := postgresTypes[strings.TrimPrefix(name, "*")]; known != "" {
		return known
	}
	return postgresKinds[p.Kind]
}

var postgresTypes = map[string]string{
	"string": "text", "bool": "boolean", "[]byte": "bytea", "float32": "real", "float64": "double precision",
	"int": "bigint", "int8": "bigint", "int16": "bigint", "int32": "bigint", "int64": "bigint",
	"uint": "bigint", "uint8": "bigint", "uint16": "bigint", "uint32": "bigint", "uint64": "numeric", "byte": "bigint", "rune": "bigint",
	"time.Time": "timestamptz", "database/sql.NullTime": "timestamptz",
	"database/sql.NullString": "text", "database/sql.NullBool": "boolean", "database/sql.NullFloat64": "double precision",
	"database/sql.NullByte": "bigint", "database/sql.NullInt16": "bigint", "database/sql.NullInt32": "bigint", "database/sql.NullInt64": "bigint",
}

// postgresKinds are for named types.
var postgresKinds = map[model.Kind]string{
	model.KindString: "text", model.KindBool: "boolean", model.KindBytes: "bytea", model.KindInt: "bigint", model.KindUint: "numeric",
}
