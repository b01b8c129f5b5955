package idem

import (
	"errors"
	"strings"
	"testing"
)

// States of the order machine: Created → Paid → Shipped, Created → Cancelled,
// Paid → Cancelled.
const (
	created = iota
	paid
	shipped
	cancelled
)

func orderMachine() *Machine {
	bits := func(states ...int) []uint64 {
		var b uint64
		for _, s := range states {
			b |= 1 << s
		}
		return []uint64{b}
	}
	return &Machine{Name: "Status", States: []StateInfo{
		{Name: "Created", Value: "CREATED", DominatedBy: bits(created)},
		{Name: "Paid", Value: "PAID", DominatedBy: bits(created, paid)},
		{Name: "Shipped", Value: "SHIPPED", DominatedBy: bits(created, paid, shipped)},
		{Name: "Cancelled", Value: "CANCELLED", DominatedBy: bits(created, cancelled)},
	}}
}

var (
	pay    = &EventInfo{Name: "Pay", Edges: []Edge{{created, paid}}, Proofs: []int{paid}}
	ship   = &EventInfo{Name: "Ship", Edges: []Edge{{paid, shipped}}, Proofs: []int{shipped}}
	cancel = &EventInfo{Name: "Cancel", Edges: []Edge{{created, cancelled}, {paid, cancelled}}, Unambiguous: true}
	touch  = &EventInfo{Name: "Touch", Edges: []Edge{{paid, paid}}}
	gift   = &EventInfo{Name: "Gift", Edges: []Edge{{created, paid}}} // another way to Paid
	// settle leads to two states, and others lead into Cancelled as well.
	settle = &EventInfo{Name: "Settle", Edges: []Edge{{created, paid}, {shipped, cancelled}}, Proofs: []int{paid}}
)

func TestLaw_S2_Classification(t *testing.T) {
	m := orderMachine()
	for _, r := range []struct {
		event  *EventInfo
		state  int
		passed bool
		want   TransitionKind
	}{
		{pay, paid, true, TransitionDuplicate},
		{pay, shipped, true, TransitionSuperseded},
		{pay, cancelled, true, TransitionIllegal}, // the late payment: it may have been cancelled unpaid
		{pay, created, true, TransitionConflict},  // it moved back between update and read
		{pay, created, false, TransitionGuard},
		{ship, created, true, TransitionIllegal},
		{ship, paid, true, TransitionConflict},
		{ship, shipped, true, TransitionDuplicate},
		{ship, cancelled, true, TransitionIllegal},
		{cancel, cancelled, true, TransitionDuplicate},
		{cancel, shipped, true, TransitionIllegal},
		{cancel, paid, true, TransitionConflict},
		{touch, paid, true, TransitionConflict},
		{touch, shipped, true, TransitionIllegal},
		{settle, paid, true, TransitionDuplicate},    // Cancelled proves nothing, Paid does
		{settle, cancelled, true, TransitionIllegal}, // it is not past Paid
		{gift, paid, true, TransitionIllegal},        // Pay may have brought it there
		{gift, shipped, true, TransitionIllegal},     // on the way as well
	} {
		s := seen{state: r.state}
		if !r.passed {
			s.failed = GuardWhere
		}
		if got := m.classify(r.event, -1, s); got != r.want {
			t.Errorf("%s in %s (predicates hold: %v): %v, want %v", r.event.Name, m.States[r.state].Name, r.passed, got, r.want)
		}
	}
}

func TestLaw_S2_ManyStates(t *testing.T) {
	m := &Machine{States: make([]StateInfo, 200)}
	m.States[199].DominatedBy = []uint64{0, 0, 1 << 2, 0} // state 130
	e := &EventInfo{Edges: []Edge{{1, 130}}, Proofs: []int{130}}
	if got := m.classify(e, -1, seen{state: 199}); got != TransitionSuperseded {
		t.Errorf("%v beyond 64 states", got)
	}
	m.States[198].DominatedBy = []uint64{1} // a short set has no more members
	if got := m.classify(e, -1, seen{state: 198}); got != TransitionIllegal {
		t.Errorf("%v for a short set", got)
	}
}

func TestLaw_S2_ErrorsAreTold(t *testing.T) {
	for kind, sentinel := range map[TransitionKind]error{
		TransitionDuplicate: ErrDuplicateTransition, TransitionSuperseded: ErrSuperseded, TransitionIllegal: ErrIllegalTransition,
		TransitionGuard: ErrGuardFailed, TransitionNotFound: ErrNotFound, TransitionConflict: ErrTransitionConflict,
	} {
		err := error(&TransitionError{Machine: "Status", Event: "Pay", From: "Paid", Kind: kind})
		if !errors.Is(err, sentinel) || !errors.Is(err, ErrTransition) || StatusOf(err).Err() != sentinel {
			t.Errorf("%v is not %v", err, sentinel)
		}
		for _, other := range []error{ErrDuplicateTransition, ErrSuperseded, ErrIllegalTransition, ErrGuardFailed, ErrNotFound, ErrTransitionConflict, ErrUnknownState} {
			if other != sentinel && errors.Is(err, other) {
				t.Errorf("%v is %v", err, other)
			}
		}
		if AlreadyApplied(err) != (kind == TransitionDuplicate || kind == TransitionSuperseded) {
			t.Errorf("AlreadyApplied(%v) = %v", err, AlreadyApplied(err))
		}
	}
	if AlreadyApplied(nil) || AlreadyApplied(errors.New("driver")) {
		t.Error("already applied by an error of the driver")
	}
}

func TestLaw_S8_UnknownAndNullStates(t *testing.T) {
	text, number, boolean := orderMachine(), &Machine{Name: "Level", Column: IntColumn, States: []StateInfo{{Value: "-1"}, {Value: "3"}}},
		&Machine{Name: "Open", Column: BoolColumn, States: []StateInfo{{Value: "false"}, {Value: "true"}}}
	for _, r := range []struct {
		m     *Machine
		d     Dialect
		value any
		want  int
	}{
		{text, SQLite, "PAID", paid}, {text, MySQL, []byte("SHIPPED"), shipped}, {text, Postgres, []byte("SHIPPED"), shipped},
		{text, Postgres, "PAID   ", -1}, {text, Postgres, "PAID ", -1}, {text, SQLite, "PAID ", -1}, {text, MySQL, []byte("PAID "), -1}, {text, MySQL, "PAID ", -1},
		{text, SQLite, []byte("PAID"), -1}, {text, Postgres, " PAID", -1}, {text, Postgres, "PAID\t", -1},
		{number, SQLite, int64(-1), 0}, {number, MySQL, []byte("3"), 1}, {number, Postgres, "3", 1}, {number, SQLite, []byte("3"), -1}, {number, Postgres, "3 ", -1},
		{boolean, Postgres, true, 1}, {boolean, SQLite, int64(0), 0}, {boolean, MySQL, []byte("1"), 1}, {boolean, Postgres, "f", 0}, {boolean, SQLite, true, 1},
		{boolean, SQLite, "true", -1}, {boolean, SQLite, "t", -1}, {boolean, MySQL, []byte("f"), -1}, {boolean, SQLite, []byte("1"), -1},
		{text, SQLite, nil, -1}, {text, SQLite, "paid", -1}, {text, SQLite, "", -1}, {text, SQLite, " PAID", -1}, {text, SQLite, int64(1), -1}, {text, SQLite, strings.Repeat("x", 1000), -1},
		{number, SQLite, nil, -1}, {number, SQLite, int64(2), -1}, {number, SQLite, "x", -1}, {boolean, SQLite, nil, -1}, {boolean, SQLite, int64(2), -1},
	} {
		got, err := r.m.state(r.d, r.value)
		if r.want >= 0 {
			if err != nil || got != r.want {
				t.Errorf("%s: %v is %d, %v", r.m.Name, r.value, got, err)
			}
			continue
		}
		var unknown *UnknownStateError
		if !errors.As(err, &unknown) || !errors.Is(err, ErrUnknownState) || errors.Is(err, ErrTransition) || unknown.Null != (r.value == nil) || len(err.Error()) > 200 {
			t.Errorf("%s: %v is %v", r.m.Name, r.value, err)
		}
	}
}

func TestLaw_S8_Scanning(t *testing.T) {
	for _, src := range []any{"PAID", []byte("PAID")} {
		if s, err := ScanText("Status", src); err != nil || s != "PAID" {
			t.Errorf("text of %v: %q, %v", src, s, err)
		}
	}
	for _, src := range []any{int64(-7), "-7", []byte("-7")} {
		if n, err := ScanInt("Level", src); err != nil || n != -7 {
			t.Errorf("int of %v: %d, %v", src, n, err)
		}
	}
	for _, src := range []any{uint64(1 << 63), "9223372036854775808", []byte("9223372036854775808")} {
		if n, err := ScanUint("Level", src); err != nil || n != 1<<63 {
			t.Errorf("uint of %v: %d, %v", src, n, err)
		}
	}
	for _, src := range []any{true, int64(1), "t", "true", []byte("1")} {
		if b, err := ScanBool("Open", src); err != nil || !b {
			t.Errorf("bool of %v: %v, %v", src, b, err)
		}
	}
	for _, src := range []any{nil, "x", 1.5, int64(-1), []byte("PAID")} {
		_, i := ScanInt("M", src)
		_, u := ScanUint("M", src)
		_, b := ScanBool("M", src)
		_, s := ScanText("M", src)
		if n, isInt := src.(int64); isInt && n < 0 {
			i, s = ErrUnknownState, ErrUnknownState // -1 is an int
		}
		if _, isText := src.(string); isText {
			s = ErrUnknownState
		}
		if _, isText := src.([]byte); isText {
			s = ErrUnknownState
		}
		for _, err := range []error{i, u, b, s} {
			if !errors.Is(err, ErrUnknownState) {
				t.Errorf("%v is scanned: %v %v %v %v", src, i, u, b, s)
			}
		}
	}
}
