package sqlstoretest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/templates/schema"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// The DDL that the schema emitter writes, run on the databases it is for.

// ddl is a database whose schema the emitter makes.
type ddl struct {
	*fixture
	dialect sqltext.Dialect
	now     schema.Script
}

var ddlDialects = [...]sqltext.Dialect{idem.SQLite: sqltext.SQLite, idem.Postgres: sqltext.Postgres, idem.MySQL: sqltext.MySQL}

// statesOf is a machine on a table with reserved names.
func statesOf(states ...string) *model.Machine {
	m := &model.Machine{Name: "Status", Table: []string{"order"}, Key: "id", KeyKind: model.KindInt, Column: "group"}
	for _, s := range states {
		m.States = append(m.States, &model.State{SQL: model.SQLValue{Text: s}})
	}
	m.Initial = m.States[0]
	return m
}

func schemaOf(t testing.TB, machines ...*model.Machine) schema.Schema {
	t.Helper()
	s, err := schema.Of(&model.Package{Machines: machines})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ddlOn makes the schema of machines in a new database.
func ddlOn(t *testing.T, d *database, o schema.Options, machines ...*model.Machine) *ddl {
	t.Helper()
	x := &ddl{fixture: d.fixture(t), dialect: ddlDialects[d.dialect]}
	x.now = schema.Create(x.dialect, schemaOf(t, machines...), o)
	x.must(x.run(x.now))
	return x
}

// run runs a script as a migration tool does: in one transaction where the
// database has such, and statement by statement on MySQL.
func (x *ddl) run(s schema.Script) error {
	x.Helper()
	ctx := context.Background()
	tx, err := x.db.BeginTx(ctx, nil)
	x.must(err)
	defer tx.Rollback()
	for _, stmt := range s.Statements {
		if _, err := tx.ExecContext(ctx, stmt); err != nil {
			return fmt.Errorf("%s: %w", stmt, err)
		}
	}
	return tx.Commit()
}

func (x *ddl) must(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

// migrate leads to other machines; the old script is read from its file.
func (x *ddl) migrate(o schema.Options, machines ...*model.Machine) error {
	x.Helper()
	_, from, old, err := schema.Read(x.now.Text())
	x.must(err)
	next, err := schema.Migrate(x.dialect, from, schemaOf(x, machines...), old, o)
	x.must(err)
	if err := x.run(next); err != nil {
		return err
	}
	x.now = next
	return nil
}

func (x *ddl) q(name string) string { return x.dialect.Name(name) }

// insert tells whether a row may be in a state.
func (x *ddl) insert(id int, state string) error {
	_, err := x.db.Exec(x.on.text("INSERT INTO "+x.q("order")+" (id, "+x.q("group")+") VALUES (?, ?)"), id, state)
	return err
}

func (x *ddl) set(id int, state string) error {
	_, err := x.db.Exec(x.on.text("UPDATE "+x.q("order")+" SET "+x.q("group")+" = ? WHERE id = ?"), state, id)
	return err
}

func (x *ddl) state(id int) (s string) {
	x.Helper()
	x.must(x.db.QueryRow(x.on.text("SELECT "+x.q("group")+" FROM "+x.q("order")+" WHERE id = ?"), id).Scan(&s))
	return s
}

// onEveryForm runs a test with a CHECK and with a native ENUM.
func onEveryForm(t *testing.T, test func(t *testing.T, d *database, o schema.Options)) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		t.Run("check", func(t *testing.T) { test(t, d, schema.Options{}) })
		t.Run("enum", func(t *testing.T) { test(t, d, schema.Options{Enum: true}) })
	})
}

// TestLaw_S8_ColumnHoldsStatesOnly: what is no state can neither be inserted nor
// written later, whatever it resembles. An ENUM of MySQL takes blanks at the end for
// none, and then holds the state without them.
func TestLaw_S8_ColumnHoldsStatesOnly(t *testing.T) {
	onEveryForm(t, func(t *testing.T, d *database, o schema.Options) {
		x := ddlOn(t, d, o, statesOf("NEW", "it's", `back\slash`, "支付", "En cours"))
		for i, s := range []string{"NEW", "it's", `back\slash`, "支付", "En cours"} {
			x.must(x.insert(i, s))
			if got := x.state(i); got != s {
				t.Errorf("%q became %q", s, got)
			}
		}
		for _, s := range []string{"", "new", "NEW ", "DONE", "En  cours", "EN COURS", "支", "back/slash"} {
			trimmed := o.Enum && d.dialect == idem.MySQL && s == "NEW "
			if err := x.insert(100, s); err == nil && (!trimmed || x.state(100) != "NEW") {
				t.Errorf("%q was inserted as %q", s, x.state(100))
			}
			if err := x.set(0, s); err == nil && (!trimmed || x.state(0) != "NEW") {
				t.Errorf("%q was written as %q", s, x.state(0))
			}
			x.exec("DELETE FROM " + x.q("order") + " WHERE id = 100")
		}
		if _, err := x.db.Exec("INSERT INTO " + x.q("order") + " (id, " + x.q("group") + ") VALUES (101, NULL)"); err == nil {
			t.Error("NULL was inserted")
		}
		x.exec("INSERT INTO " + x.q("order") + " (id) VALUES (102)")
		if got := x.state(102); got != "NEW" {
			t.Errorf("a new row is in %q", got)
		}
	})
}

// TestSchema_NumbersAndBools: columns of other kinds hold their states only.
func TestSchema_NumbersAndBools(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		jobs := &model.Machine{Name: "Job", Table: []string{"jobs"}, Key: "id", Column: "state", Base: model.KindInt}
		for _, v := range []string{"-1", "0", "7"} {
			jobs.States = append(jobs.States, &model.State{SQL: model.SQLValue{Text: v, Number: true}})
		}
		mails := &model.Machine{Name: "Mail", Table: []string{"mails"}, Key: "id", Column: "sent", Base: model.KindBool}
		for _, v := range []string{"false", "true"} {
			mails.States = append(mails.States, &model.State{SQL: model.SQLValue{Text: v, Bool: true}})
		}
		jobs.Initial, mails.Initial = jobs.States[1], mails.States[0]
		x := ddlOn(t, d, schema.Options{}, jobs, mails)
		x.exec("INSERT INTO jobs (id, state) VALUES ('a', -1), ('b', 7)")
		x.exec("INSERT INTO jobs (id) VALUES ('c')")
		x.exec("INSERT INTO mails (id, sent) VALUES ('a', TRUE)")
		if n := x.count("SELECT SUM(state) FROM jobs"); n != 6 {
			t.Errorf("the states add up to %d", n)
		}
		for _, bad := range []string{"INSERT INTO jobs (id, state) VALUES ('d', 1)", "UPDATE jobs SET state = 2"} {
			if _, err := x.db.Exec(bad); err == nil {
				t.Errorf("%s: no error", bad)
			}
		}
	})
}

// TestSchema_AlterKeepsRows: columns are added to a table that has rows, which are
// then in the initial state.
func TestSchema_AlterKeepsRows(t *testing.T) {
	onEveryForm(t, func(t *testing.T, d *database, o schema.Options) {
		x := &ddl{fixture: d.fixture(t), dialect: ddlDialects[d.dialect]}
		x.exec("CREATE TABLE " + x.q("order") + " (id BIGINT NOT NULL PRIMARY KEY, note VARCHAR(10))")
		x.exec("INSERT INTO " + x.q("order") + " (id, note) VALUES (1, 'old')")
		m := statesOf("NEW", "DONE")
		m.Version, m.Fence, m.History = "version", "fence", []string{"order_history"}
		o.Alter = true
		x.must(x.run(schema.Create(x.dialect, schemaOf(t, m), o)))
		if got := x.state(1); got != "NEW" {
			t.Errorf("the row is in %q", got)
		}
		if n := x.count("SELECT COUNT(*) FROM " + x.q("order") + " WHERE version = 0 AND fence IS NULL AND note = 'old'"); n != 1 {
			t.Error("the row changed")
		}
		if err := x.set(1, "LOST"); err == nil {
			t.Error("the column holds what is no state")
		}
		x.exec("INSERT INTO order_history (row_key, from_state, to_state, event, at_us) VALUES (1, 'NEW', 'DONE', 'Finish', 1)")
		x.exec("INSERT INTO order_history (row_key, from_state, to_state, event, at_us) VALUES (1, 'NEW', 'DONE', 'Finish', 1)")
	})
}

// TestSchema_AddState: a migration that adds a state runs in a transaction, with
// rows in the table, and the new state may be used in it.
func TestSchema_AddState(t *testing.T) {
	onEveryForm(t, func(t *testing.T, d *database, o schema.Options) {
		x := ddlOn(t, d, o, statesOf("NEW", "DONE"))
		x.must(x.insert(1, "NEW"))
		x.must(x.insert(2, "DONE"))
		if err := x.set(1, "HELD"); err == nil {
			t.Fatal("HELD is a state already")
		}
		x.must(x.migrate(o, statesOf("NEW", "HELD", "DONE")))
		x.must(x.set(1, "HELD"))
		if x.state(1) != "HELD" || x.state(2) != "DONE" {
			t.Errorf("rows are in %q and %q", x.state(1), x.state(2))
		}
		if err := x.set(1, "LOST"); err == nil {
			t.Error("anything goes after the migration")
		}
	})
}

// TestSchema_RemoveState: a state that a row is in can't be removed, and the attempt
// changes nothing; one that none is in can.
func TestSchema_RemoveState(t *testing.T) {
	onEveryForm(t, func(t *testing.T, d *database, o schema.Options) {
		x := ddlOn(t, d, o, statesOf("NEW", "HELD", "DONE"))
		x.must(x.insert(1, "HELD"))
		x.must(x.insert(2, "DONE"))
		if err := x.migrate(o, statesOf("NEW", "DONE")); err == nil {
			t.Fatal("a state in use was removed")
		}
		if x.state(1) != "HELD" || x.state(2) != "DONE" {
			t.Fatalf("rows are in %q and %q", x.state(1), x.state(2))
		}
		x.must(x.insert(3, "HELD"))
		if err := x.set(2, "LOST"); err == nil {
			t.Error("the failed migration took the check away")
		}
		x.must(x.set(1, "NEW"))
		x.must(x.set(3, "NEW"))
		x.must(x.migrate(o, statesOf("NEW", "DONE")))
		if err := x.set(1, "HELD"); err == nil {
			t.Error("the removed state may still be written")
		}
		x.must(x.set(1, "DONE"))
	})
}

// TestSchema_BetweenForms: from a CHECK to an ENUM and back, with a state more.
func TestSchema_BetweenForms(t *testing.T) {
	on(t, oneOfEach, func(t *testing.T, d *database) {
		x := ddlOn(t, d, schema.Options{}, statesOf("NEW", "DONE"))
		x.must(x.insert(1, "DONE"))
		x.must(x.migrate(schema.Options{Enum: true}, statesOf("NEW", "DONE", "HELD")))
		x.must(x.set(1, "HELD"))
		if err := x.set(1, "LOST"); err == nil {
			t.Error("the ENUM holds anything")
		}
		long := strings.Repeat("支", 70)
		x.must(x.migrate(schema.Options{}, statesOf("NEW", "HELD", long)))
		x.must(x.set(1, long))
		for _, s := range []string{"DONE", "LOST", long + "x"} {
			if err := x.set(1, s); err == nil {
				t.Errorf("%q may be written", s)
			}
		}
		m := statesOf("HELD", "NEW", long)
		m.Version, m.History = "version", []string{"order_history"}
		x.must(x.migrate(schema.Options{}, m))
		x.exec("INSERT INTO order_history (row_key, to_state, event, at_us) VALUES (1, '" + long + "', 'Create', 1)")
		x.exec("INSERT INTO " + x.q("order") + " (id) VALUES (7)")
		if want := map[bool]string{true: "NEW", false: "HELD"}[d.dialect == idem.SQLite]; x.state(7) != want {
			t.Errorf("a new row is in %q, want %q", x.state(7), want)
		}
	})
}
