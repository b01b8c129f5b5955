package schema

import (
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/templates/sqltext"
)

// Migrate is the DDL that brings a database from one schema to another. On
// Postgres and SQLite it may run in one transaction; MySQL commits each statement
// by itself, and each leaves a schema that works. A state that is no longer one
// must not be in any row: the statement that finds one fails, and changes nothing.
// What is no longer needed stays, with a note. It fails where the type of a column
// would change.
//
// A deploy that adds states migrates first and rolls out then; one that removes
// states rolls out first.
func Migrate(d sqltext.Dialect, from, to Schema, old, o Options) (Script, error) {
	w := &writer{d: d, o: o}
	for i := range to.Tables {
		now := &to.Tables[i]
		j := slices.IndexFunc(from.Tables, func(t Table) bool { return slices.Equal(t.Name, now.Name) })
		if j < 0 {
			w.table(now)
			continue
		}
		if err := w.migrateTable(&from.Tables[j], now, old); err != nil {
			return Script{}, err
		}
	}
	for i := range to.History {
		now := &to.History[i]
		j := slices.IndexFunc(from.History, func(h History) bool { return slices.Equal(h.Name, now.Name) })
		if j < 0 {
			w.history(now)
			continue
		}
		if err := historyError(&from.History[j], now); err != nil {
			return Script{}, err
		}
		w.moreHistory(&from.History[j], now)
	}
	w.left(from, to)
	return Script{Dialect: d, Options: o, Schema: to, Statements: w.list, Notes: w.note}, nil
}

// left notes what the new schema has no use for.
func (w *writer) left(from, to Schema) {
	for _, t := range from.Tables {
		if !slices.ContainsFunc(to.Tables, func(n Table) bool { return slices.Equal(n.Name, t.Name) }) {
			w.notef("%s is guarded no more; its columns and checks stay.", joined(t.Name))
		}
	}
	for _, h := range from.History {
		if !slices.ContainsFunc(to.History, func(n History) bool { return slices.Equal(n.Name, h.Name) }) {
			w.notef("%s gets no rows any more; it stays.", joined(h.Name))
		}
	}
}

func (w *writer) migrateTable(before, now *Table, old Options) error {
	if !slices.Equal(before.Key, now.Key) {
		return fmt.Errorf("table %s had the key %s and has %s: write this migration by hand", joined(now.Name), columnsText(before.Key), columnsText(now.Key))
	}
	for i := range now.States {
		s := &now.States[i]
		j := slices.IndexFunc(before.States, func(b StateColumn) bool { return b.Name == s.Name })
		if j < 0 {
			w.addState(now, s)
			continue
		}
		if err := w.migrateState(now, &before.States[j], s, old); err != nil {
			return err
		}
	}
	for _, s := range before.States {
		if !slices.ContainsFunc(now.States, func(n StateColumn) bool { return n.Name == s.Name }) {
			w.notef("%s.%s is guarded no more; the column and its check stay.", joined(now.Name), s.Name)
		}
	}
	w.migrateColumn(now, before.Version, now.Version, "version", w.addVersion)
	w.migrateColumn(now, before.Fence, now.Fence, "fence", w.addFence)
	return nil
}

func (w *writer) migrateColumn(t *Table, before, now, what string, add func(*Table)) {
	if before != "" && before != now {
		w.notef("%s.%s is no %s column any more; it stays.", joined(t.Name), before, what)
	}
	if now != "" && before != now {
		add(t)
	}
}

// migrateState changes what a state column may hold.
func (w *writer) migrateState(t *Table, before, now *StateColumn, old Options) error {
	if before.Type != now.Type {
		return fmt.Errorf("%s.%s held states of type %s and holds %s: write this migration by hand", joined(t.Name), now.Name, before.Type, now.Type)
	}
	was := &writer{d: w.d, o: old}
	if slices.Equal(sorted(before.Values), sorted(now.Values)) && was.isEnum(before) == w.isEnum(now) {
		w.migrateDefault(t, before, now)
		return nil
	}
	switch w.d {
	case sqltext.SQLite:
		w.sqliteStates(t, before, now)
	case sqltext.Postgres:
		w.postgresStates(t, before, now, was)
	case sqltext.MySQL:
		w.mysqlStates(t, before, now, was)
	}
	return nil
}

// sqliteStates replaces the triggers, and fails when a row holds what is no state
// any more: a CHECK of a table of the connection's own says so.
func (w *writer) sqliteStates(t *Table, before, now *StateColumn) {
	for _, on := range triggerEvents {
		w.add("DROP TRIGGER %s", w.inSchema(t.Name, triggerName(t, before, on)))
	}
	w.triggers(t, now)
	if len(removed(before, now)) > 0 {
		w.add("DROP TABLE IF EXISTS temp.idem_strays")
		w.add("CREATE TEMP TABLE idem_strays (rows_without_state INTEGER CHECK (rows_without_state = 0))")
		w.add("INSERT INTO temp.idem_strays SELECT COUNT(*) FROM %s WHERE NOT (%s)", w.d.Table(t.Name), w.isState(now, w.d.Name(now.Name)))
		w.add("DROP TABLE temp.idem_strays")
	}
	w.migrateDefault(t, before, now)
}

// postgresStates replaces the CHECK in one statement, which validates the rows. An
// ENUM gets a new type: a value that ALTER TYPE adds can't be used in the
// transaction that adds it, and none can be taken away.
func (w *writer) postgresStates(t *Table, before, now *StateColumn, was *writer) {
	table, column := w.d.Table(t.Name), w.d.Name(now.Name)
	if !was.isEnum(before) && !w.isEnum(now) {
		w.add("ALTER TABLE %s DROP CONSTRAINT %s, ADD %s", table, w.d.Name(checkName(t, before)), w.check(t, now))
		w.migrateDefault(t, before, now)
		return
	}
	newName, fresh := w.stateType(t, now), ""
	if w.isEnum(now) && was.isEnum(before) {
		fresh = short(w.enumName(t, now) + "_new")
		w.enumType(t, now, fresh)
		newName = w.inSchema(t.Name, fresh)
	} else {
		w.enumType(t, now, w.enumName(t, now))
	}
	if !was.isEnum(before) {
		w.add("ALTER TABLE %s DROP CONSTRAINT %s", table, w.d.Name(checkName(t, before)))
	}
	w.add("ALTER TABLE %s ALTER COLUMN %s DROP DEFAULT, ALTER COLUMN %s TYPE %s USING CAST(CAST(%s AS TEXT) AS %s), ALTER COLUMN %s SET DEFAULT %s",
		table, column, column, newName, column, newName, column, w.literal(now, now.Initial))
	if was.isEnum(before) {
		w.add("DROP TYPE %s", was.stateType(t, before))
	}
	if fresh != "" {
		w.add("ALTER TYPE %s RENAME TO %s", newName, w.d.Name(w.enumName(t, now)))
	}
	w.addCheck(t, now)
}

// mysqlStates changes the CHECK in one statement. An ENUM is first narrowed by a
// CHECK: outside strict mode MODIFY alone would empty the rows whose state goes.
func (w *writer) mysqlStates(t *Table, before, now *StateColumn, was *writer) {
	table, column := w.d.Table(t.Name), w.d.Name(now.Name)
	enum := was.isEnum(before) || w.isEnum(now)
	narrow := w.d.Name(name(t, now.Name, "narrowed"))
	isNew := w.isState(now, column)
	narrowed := enum && len(removed(before, now)) > 0
	if narrowed {
		w.add("ALTER TABLE %s ADD CONSTRAINT %s CHECK (%s)", table, narrow, isNew)
	}
	if enum || was.stateType(t, before) != w.stateType(t, now) {
		if !was.isEnum(before) && w.isEnum(now) {
			w.add("ALTER TABLE %s DROP CONSTRAINT %s", table, w.d.Name(checkName(t, before)))
		}
		w.add("ALTER TABLE %s MODIFY %s", table, w.stateColumn(t, now))
	}
	if narrowed {
		w.add("ALTER TABLE %s DROP CONSTRAINT %s", table, narrow)
	}
	switch {
	case w.isEnum(now):
	case was.isEnum(before):
		w.addCheck(t, now)
	default:
		w.add("ALTER TABLE %s DROP CONSTRAINT %s, ADD %s", table, w.d.Name(checkName(t, before)), w.check(t, now))
	}
	w.migrateDefault(t, before, now)
}

// migrateDefault changes what a row is in that nobody gave a state.
func (w *writer) migrateDefault(t *Table, before, now *StateColumn) {
	if before.Initial == now.Initial {
		return
	}
	if w.d == sqltext.SQLite {
		w.notef("The default of %s.%s stays %s: SQLite can't change it. Generated guards write the initial state themselves.",
			joined(t.Name), now.Name, w.literal(before, before.Initial))
		return
	}
	w.add("ALTER TABLE %s ALTER COLUMN %s SET DEFAULT %s", w.d.Table(t.Name), w.d.Name(now.Name), w.literal(now, now.Initial))
}

// removed are the states that are no longer any.
func removed(before, now *StateColumn) []string {
	return slices.DeleteFunc(slices.Clone(before.Values), func(v string) bool { return slices.Contains(now.Values, v) })
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
