package idem

import "context"

// CreateRow makes a new row with a key: in the initial state, with version 0, the
// columns that the machine gives it, and its row of the history (S9). args are the
// parameters of the creation. An existing row is left as it is: in the initial
// state it is a *TransitionError of kind Duplicate, in another one Superseded, and
// Guard when it is not one of the machine's rows (another tenant's) or when
// another unique index refused the new one; an unknown state is an
// *UnknownStateError. A driver error is returned as it is. db is used by one call
// at a time.
func CreateRow(ctx context.Context, db DB, d Dialect, m *Machine, key any, args ...any) error {
	f := firing{dialect: d, machine: m, to: -1, key: key, args: args}
	if f.ownHistory().Into == "" {
		return f.create(ctx, db)
	}
	return atomically(ctx, db, func(ctx context.Context, db DB) error {
		if err := f.create(ctx, db); err != nil {
			return err
		}
		return f.record(ctx, db, createEvent, moved{key, -1, m.Initial})
	})
}

// create inserts, and says what was in the way. A row that is gone again when it
// is looked at makes no second attempt fail (C11).
func (f *firing) create(ctx context.Context, db DB) error {
	for again := true; ; again = false {
		inserted, err := f.insert(ctx, db)
		if inserted || err != nil {
			return err
		}
		err = f.inTheWay(ctx, db)
		if err == nil && again {
			continue
		}
		if err == nil {
			err = f.refused(TransitionGuard, GuardUnique, "")
		}
		return err
	}
}

func (f *firing) insert(ctx context.Context, db DB) (inserted bool, err error) {
	query, args, err := f.statement(ctx, &f.machine.Create.Insert)
	if err != nil {
		return false, err
	}
	if f.dialect != MySQL {
		var one int64
		return queryRow(ctx, db, query, args, &one)
	}
	res, err := db.Exec(ctx, query, args...)
	if err != nil {
		return false, err
	}
	id, err := res.LastInsertId()
	return id != CreateRefused, err
}

// inTheWay says what the row with the key is; nil when there is none.
func (f *firing) inTheWay(ctx context.Context, db DB) error {
	query, args, err := f.statement(ctx, &f.machine.Create.Select)
	if err != nil {
		return err
	}
	var value any
	var ours int64
	found, err := queryRow(ctx, db, query, args, &value, &ours)
	if err != nil || !found {
		return err
	}
	if ours == 0 {
		return f.refused(TransitionGuard, GuardWhere, "")
	}
	state, err := f.machine.state(f.dialect, value)
	if err != nil {
		return err
	}
	kind := TransitionSuperseded
	if state == f.machine.Initial {
		kind = TransitionDuplicate
	}
	return f.refused(kind, 0, f.machine.States[state].Name)
}

func (f *firing) refused(kind TransitionKind, part GuardPart, from string) error {
	return &TransitionError{Machine: f.machine.Name, Event: createEvent, From: from, Kind: kind, Failed: part}
}
