package idem

import (
	"context"
	"strings"
)

// createEvent is the event of a new row, in its history and in errors.
const createEvent = "Create"

// ownHistory is the insert of the history where it takes a statement of its own
// (S9): everywhere but on Postgres, where the update writes it. Empty for none.
func (f *firing) ownHistory() InsertSQL {
	switch f.dialect {
	case SQLite:
		return f.machine.History.SQLite
	case MySQL:
		return f.machine.History.MySQL
	}
	return InsertSQL{}
}

// moved is a row of the history: a key that went from a state, -1 for a new row,
// to another.
type moved struct {
	key      any
	from, to int
}

// record inserts rows of the history, if there is one, in one statement.
func (f *firing) record(ctx context.Context, db DB, event string, rows ...moved) error {
	insert := f.ownHistory()
	if insert.Into == "" || len(rows) == 0 {
		return nil
	}
	actor, call := textOrNull(ActorOf(ctx)), textOrNull(callOf(ctx))
	args := make([]any, 0, 6*len(rows))
	for _, r := range rows {
		var from any
		if r.from >= 0 {
			from = f.machine.value(r.from)
		}
		args = append(args, r.key, from, f.machine.value(r.to), event, actor, call)
	}
	_, err := db.Exec(ctx, insert.Into+insert.Row+strings.Repeat(", "+insert.Row, len(rows)-1), args...)
	return err
}
