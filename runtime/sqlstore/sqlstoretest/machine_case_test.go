package sqlstoretest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/templates/sqltext"
	"github.com/idemgen/idemgen/templates/sqltext/sqlcases"
)

// machineCase is a case of the golden files on a database, with its tables.
type machineCase struct {
	*fixture
	*guardOf
	c       sqlcases.Case
	dialect sqltext.Dialect
	db      idem.DB
	padded  bool // the state column is a CHAR, which Postgres fills with blanks
}

var textDialects = [...]sqltext.Dialect{idem.SQLite: sqltext.SQLite, idem.Postgres: sqltext.Postgres, idem.MySQL: sqltext.MySQL}

// versionBefore is the version of rows that are put.
const versionBefore = 3

func (d *database) machineCase(t *testing.T, c sqlcases.Case) *machineCase {
	t.Helper()
	f := d.fixture(t)
	r := &machineCase{fixture: f, guardOf: guardOver(c.Machine), c: c, dialect: textDialects[d.dialect], db: sqlstore.DB(f.db)}
	if c.Machine.Table[0] == "shop" {
		r.makeShop()
	}
	m := c.Machine
	name := r.dialect.Name
	columns := []string{name(m.Key) + " VARCHAR(64) NOT NULL", name(m.Column) + " " + r.stateType() + " NOT NULL"}
	if m.Version != "" {
		columns = append(columns, name(m.Version)+" BIGINT NOT NULL")
	}
	if m.Fence != "" {
		columns = append(columns, name(m.Fence)+" BIGINT")
	}
	key := name(m.Key)
	for _, col := range c.Columns {
		columns = append(columns, name(col.Name)+" "+col.Type)
		if col.Name == "tenant_id" && len(m.History) == 0 { // a key that is unique in its tenant alone
			key += ", tenant_id"
		}
	}
	f.exec("CREATE TABLE " + r.dialect.Table(m.Table) + " (" + strings.Join(columns, ", ") + ", PRIMARY KEY (" + key + "))")
	if len(m.History) > 0 {
		id := [...]string{idem.SQLite: "INTEGER PRIMARY KEY AUTOINCREMENT", idem.Postgres: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", idem.MySQL: "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY"}
		index := [...]string{idem.MySQL: ", KEY history_row (row_key, id)"}
		f.exec("CREATE TABLE " + r.dialect.Table(m.History) + " (id " + id[d.dialect] + ", row_key VARCHAR(64) NOT NULL, from_state " + r.stateType() +
			", to_state " + r.stateType() + " NOT NULL, event VARCHAR(64) NOT NULL, actor VARCHAR(255), idem_key VARCHAR(255), at_us BIGINT NOT NULL" + index[d.dialect] + ")")
	}
	return r
}

// makeShop makes the schema that some cases are in.
func (r *machineCase) makeShop() {
	switch r.on.dialect {
	case idem.SQLite: // an attached database belongs to one connection
		r.fixture.db.SetMaxOpenConns(1)
		r.exec("ATTACH DATABASE '" + r.path() + ".shop' AS shop")
	case idem.Postgres:
		r.exec("CREATE SCHEMA shop")
	case idem.MySQL:
		r.exec("DROP DATABASE IF EXISTS shop")
		r.exec("CREATE DATABASE shop")
		r.Cleanup(func() { r.exec("DROP DATABASE IF EXISTS shop") })
	}
}

func (r *machineCase) stateType() string {
	switch v := r.model.States[0].SQL; {
	case v.Bool:
		return "BOOLEAN"
	case v.Number:
		return "BIGINT"
	}
	if r.on.dialect == idem.MySQL {
		return "VARCHAR(64) CHARACTER SET utf8mb4"
	}
	return "VARCHAR(64)"
}

// put makes a row in a state, without a history.
func (r *machineCase) put(id string, state int) {
	r.Helper()
	m := r.model
	name := r.dialect.Name
	r.exec("DELETE FROM "+r.dialect.Table(m.Table)+" WHERE "+name(m.Key)+" = ?", id)
	columns, args := []string{name(m.Key), name(m.Column)}, []any{id, r.stateArg(state)}
	if m.Version != "" {
		columns, args = append(columns, name(m.Version)), append(args, versionBefore)
	}
	for _, col := range r.c.Columns {
		columns, args = append(columns, name(col.Name)), append(args, col.Value)
	}
	r.exec("INSERT INTO "+r.dialect.Table(m.Table)+" ("+strings.Join(columns, ", ")+") VALUES (?"+strings.Repeat(", ?", len(args)-1)+")", args...)
	if len(m.History) > 0 {
		r.exec("DELETE FROM "+r.dialect.Table(m.History)+" WHERE row_key = ?", id)
	}
}

// stateArg is a state as an argument, of the type that Postgres wants.
func (r *machineCase) stateArg(state int) any {
	v := r.value(state)
	if r.model.States[state].SQL.Number {
		var n int64
		fmt.Sscan(v.(string), &n)
		return n
	}
	return v
}

// column reads a column of a row as text.
func (r *machineCase) column(id, column string) string {
	r.Helper()
	var v any
	query := "SELECT " + r.dialect.Name(column) + " FROM " + r.dialect.Table(r.model.Table) + " WHERE " + r.dialect.Name(r.model.Key) + " = ?"
	if err := r.fixture.db.QueryRow(r.fixture.on.text(query), id).Scan(&v); err != nil {
		r.Fatalf("%s: %v", query, err)
	}
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(v)
}

// is checks the state of a row.
func (r *machineCase) is(what, id string, state int) {
	r.Helper()
	got := r.column(id, r.model.Column)
	if r.padded {
		got = strings.TrimRight(got, " ")
	}
	if r.state(got) != state {
		r.Errorf("%s: the row is in %q, want state %d", what, got, state)
	}
}

// histories counts the rows of the history of a row.
func (r *machineCase) histories(id string) int {
	if len(r.model.History) == 0 {
		return -1
	}
	return r.count("SELECT COUNT(*) FROM "+r.dialect.Table(r.model.History)+" WHERE row_key = ?", id)
}

// shot is what a case is fired with.
type shot struct {
	version, fence int64
	instead        map[string]any // of the case's own arguments
}

func fits() shot { return shot{version: versionBefore, fence: 100} }

// args are the arguments behind the key. A batch has no version.
func (r *machineCase) args(e *idem.EventInfo, s shot, batch bool) []any {
	var list []any
	if r.machine.Version && !batch {
		list = append(list, s.version)
	}
	if r.machine.Fence {
		list = append(list, s.fence)
	}
	for _, m := range r.model.Events {
		if m.Name != e.Name {
			continue
		}
		for _, p := range m.Params {
			v, given := s.instead[p.Name]
			if !given {
				v = r.c.Values[p.Name]
			}
			list = append(list, v)
		}
	}
	return list
}

// fireWith fires an event; to counts for dynamic ones alone.
func (r *machineCase) fireWith(ctx context.Context, e *idem.EventInfo, to int, id string, s shot) (idem.Fired, error) {
	if e.Dynamic {
		return idem.FireTo(ctx, r.db, r.on.dialect, &r.machine, e, to, id, r.args(e, s, false)...)
	}
	return idem.FireEvent(ctx, r.db, r.on.dialect, &r.machine, e, id, r.args(e, s, false)...)
}

// target is where an event leads from a state, -1 for nowhere.
func target(e *idem.EventInfo, from, to int) int {
	for _, edge := range e.Edges {
		if edge.From == from && (!e.Dynamic || edge.To == to) {
			return edge.To
		}
	}
	return -1
}
