package sqltext

import "github.com/idemgen/idemgen/internal/model"

// Form is one statement of a guard in every dialect, as idem.GuardSQL has it:
// fields of the same names, to be rendered one by one. Args are set where all
// dialects bind the same; nil with no Args of a dialect: the key alone.
type Form struct {
	SQLite, Postgres, MySQL             string
	Args                                []int
	SQLiteArgs, PostgresArgs, MySQLArgs []int
}

// List is a statement over a list of keys, or one that a store completes, as
// idem.ListSQL and idem.OnceSQL have it.
type List struct {
	Parts []string
	Args  []int
}

// Insert is an INSERT, as idem.InsertSQL has it.
type Insert struct{ Into, Row string }

// MachineTexts are the statements that the events of a machine share.
type MachineTexts struct {
	Select        Form // Machine.Select
	Lock          Form // Machine.Lock: of Postgres alone, for once events
	CreateInsert  Form // Machine.Create.Insert
	CreateSelect  Form // Machine.Create.Select
	HistorySQLite Insert
	HistoryMySQL  Insert // Machine.History; empty without history=
}

// EventTexts are the statements of one event.
type EventTexts struct {
	// Edges in the order in which the statements number them: EventInfo.Edges.
	// Of two from one source an explicit one wins over a wildcard one (S4).
	Edges  []model.Edge
	Update Form
	Check  Form // all empty where Machine.Select serves
	// The batch form: EventInfo.Batch; empty for a dynamic event.
	BatchSQLite, BatchPostgres, BatchMySQLRead, BatchMySQL List
	Once                                                   List // EventInfo.Once, for once events that are not dynamic
}

// OfMachine writes the statements that the events of a machine share.
func OfMachine(m *model.Machine) MachineTexts {
	event := func(d *dialect) *guardWriter { return eventWriter(d, m, nil) }
	create := func(d *dialect) *guardWriter { return createWriter(d, m) }
	return MachineTexts{
		Select:        form(event, (*guardWriter).selectState),
		Lock:          form(event, (*guardWriter).lockRow),
		CreateInsert:  form(create, (*guardWriter).insert),
		CreateSelect:  form(create, (*guardWriter).inTheWay),
		HistorySQLite: historyInsert(&sqlite, m),
		HistoryMySQL:  historyInsert(&mysql, m),
	}
}

// OfEvent writes the statements of one event of a machine.
func OfEvent(m *model.Machine, e *model.Event) EventTexts {
	start := func(d *dialect) *guardWriter { return eventWriter(d, m, e) }
	t := EventTexts{Edges: edges(e), Update: form(start, (*guardWriter).update)}
	if start(&sqlite).checks() {
		t.Check = form(start, (*guardWriter).check)
	}
	if e.Dynamic { // one row at a time
		return t
	}
	of := func(d *dialect, write func(w *guardWriter)) List {
		w := start(d)
		return list(w, func() { write(w) })
	}
	t.BatchSQLite = of(&sqlite, func(w *guardWriter) { w.sqliteUpdate(manyRows) })
	t.BatchPostgres = of(&postgres, func(w *guardWriter) { w.postgresUpdate(manyRows) })
	t.BatchMySQLRead = of(&mysql, (*guardWriter).mysqlRead)
	t.BatchMySQL = of(&mysql, (*guardWriter).mysqlUpdateAll)
	if e.Once {
		t.Once = of(&postgres, func(w *guardWriter) { w.postgresUpdate(onceRow) })
	}
	return t
}
