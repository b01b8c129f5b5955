package idem

import (
	"context"
	"fmt"
	"strconv"
)

// firing is one call of a guard: all that its statements may bind.
type firing struct {
	dialect Dialect
	machine *Machine
	event   *EventInfo // nil for a new row
	to      int        // target of a dynamic event, else -1
	key     any
	args    []any // what the caller passes behind the key
}

// For returns the statement of a dialect and its arguments, "" for an unknown one.
func (s *GuardSQL) For(d Dialect) (text string, args []int) {
	switch d {
	case SQLite:
		text, args = s.SQLite, s.SQLiteArgs
	case Postgres:
		text, args = s.Postgres, s.PostgresArgs
	case MySQL:
		text, args = s.MySQL, s.MySQLArgs
	}
	if args == nil {
		args = s.Args
	}
	return text, args
}

// name is the event with its machine, for messages.
func (f *firing) name() string {
	if f.event == nil {
		return f.machine.Name + "." + createEvent
	}
	return f.machine.Name + "." + f.event.Name
}

// statement is a statement in the call's dialect with what it binds.
func (f *firing) statement(ctx context.Context, s *GuardSQL) (string, []any, error) {
	text, numbers := s.For(f.dialect)
	if text == "" {
		return "", nil, fmt.Errorf("idem: %s: unknown SQL dialect %d", f.name(), f.dialect)
	}
	if numbers == nil {
		return text, []any{f.key}, nil
	}
	bound, err := f.bind(ctx, make([]any, 0, len(numbers)), numbers)
	return text, bound, err
}

// bind appends the arguments with these numbers.
func (f *firing) bind(ctx context.Context, bound []any, numbers []int) ([]any, error) {
	for _, n := range numbers {
		arg, err := f.arg(ctx, n)
		if err != nil {
			return nil, err
		}
		bound = append(bound, arg)
	}
	return bound, nil
}

// arg is the argument with a number. That a caller passes too few is a fault of
// generated code that is older than its runtime, or the other way round.
func (f *firing) arg(ctx context.Context, n int) (any, error) {
	switch {
	case n == ArgKey:
		return f.key, nil
	case n > 0 && n <= len(f.args):
		return f.args[n-1], nil
	case n == ArgActor:
		return textOrNull(ActorOf(ctx)), nil
	case n == ArgIdemKey:
		return textOrNull(callOf(ctx)), nil
	case n == ArgTarget && f.to >= 0:
		return int64(f.to), nil
	}
	return nil, fmt.Errorf("%w: %s: there is no argument %d", ErrInvalidOp, f.name(), n)
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// value is a state as a column of the machine's kind is given it.
func (m *Machine) value(state int) any {
	text := m.States[state].Value
	switch m.Column {
	case BoolColumn:
		if text == "true" {
			return int64(1)
		}
		return int64(0)
	case IntColumn:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	return text
}
