package idem

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// Each placeholder gets the argument that its number stands for; one that nobody
// passed is an error and no panic.
func TestLaw_S1_ArgumentsByNumber(t *testing.T) {
	ctx := withCall(WithActor(context.Background(), "ann"), &Key{Readable: "orders.Pay 7"})
	f := firing{dialect: Postgres, machine: orderMachine(), event: pay, to: 2, key: "o", args: []any{int64(5), "x"}}
	sql := GuardSQL{SQLite: "s", Postgres: "p", MySQL: "m", Args: []int{0}, PostgresArgs: []int{2, ArgKey, 1, ArgActor, ArgIdemKey, ArgTarget, 2}}
	text, args, err := f.statement(ctx, &sql)
	if want := []any{"x", "o", int64(5), "ann", "orders.Pay 7", int64(2), "x"}; err != nil || text != "p" || !reflect.DeepEqual(args, want) {
		t.Errorf("%s %v, %v", text, args, err)
	}
	f.dialect = MySQL
	if text, args, err := f.statement(ctx, &sql); err != nil || text != "m" || !reflect.DeepEqual(args, []any{"o"}) {
		t.Errorf("%s %v, %v", text, args, err)
	}
	if _, args, err := f.statement(context.Background(), &GuardSQL{MySQL: "m", Args: []int{ArgActor, ArgIdemKey}}); err != nil || args[0] != nil || args[1] != nil {
		t.Errorf("nobody outside a call is %v, %v", args, err)
	}
	for _, bad := range [][]int{{3}, {ArgKeys}, {-100}} {
		if _, _, err := f.statement(ctx, &GuardSQL{MySQL: "m", Args: bad}); !errors.Is(err, ErrInvalidOp) {
			t.Errorf("argument %v: %v", bad, err)
		}
	}
	f.to = -1
	if _, _, err := f.statement(ctx, &GuardSQL{MySQL: "m", Args: []int{ArgTarget}}); !errors.Is(err, ErrInvalidOp) {
		t.Errorf("no target: %v", err)
	}
	f.dialect = 9
	if _, _, err := f.statement(ctx, &sql); err == nil || !strings.Contains(err.Error(), "dialect") {
		t.Errorf("%v", err)
	}
}

// Keys stand where the list has its gaps: on Postgres once each, behind the other
// arguments, elsewhere at each place.
func TestLaw_S1_ListsOfKeys(t *testing.T) {
	f := firing{machine: orderMachine(), event: pay, to: -1, args: []any{"a", "b"}}
	list := &ListSQL{Parts: []string{"x IN (", ") AND y = $2 CASE k ", " END"}, Args: []int{1, ArgKeys, 2, ArgOrdinal}}
	for _, c := range []struct {
		d    Dialect
		text string
		args []any
	}{
		{Postgres, "x IN ($3, $4) AND y = $2 CASE k WHEN $3 THEN 1 WHEN $4 THEN 2 END", []any{"a", "b", 7, 8}},
		{SQLite, "x IN (?, ?) AND y = $2 CASE k WHEN ? THEN 1 WHEN ? THEN 2 END", []any{"a", 7, 8, "b", 7, 8}},
	} {
		f.dialect = c.d
		text, args, err := f.list(context.Background(), list, []any{7, 8})
		if err != nil || text != c.text || !reflect.DeepEqual(args, c.args) {
			t.Errorf("%v: %s %v, %v", c.d, text, args, err)
		}
	}
}

// No round of a batch has a key twice, whatever its type.
func TestLaw_S3_RoundsOfABatch(t *testing.T) {
	type odd struct{ b []byte }
	for _, c := range []struct {
		keys []any
		want [][]int
	}{
		{nil, nil},
		{[]any{"a", "b", "a", "a"}, [][]int{{0, 1}, {2}, {3}}},
		{[]any{[]byte("a"), "a", []byte("a"), [1]string{"b"}}, [][]int{{0, 1, 3}, {2}}},
		{[]any{int64(1), 1, int64(1), [2]byte{1, 2}, [2]byte{1, 2}}, [][]int{{0, 1, 3}, {2, 4}}},
		{[]any{odd{b: nil}, odd{b: nil}, nil, nil}, [][]int{{0, 1, 2, 3}}}, // nothing is known of them: the statement decides
	} {
		if got := rounds(c.keys); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.keys, got, c.want)
		}
	}
}

// Generated code that calls the wrong form is told.
func TestLaw_S1_FormsOfEvents(t *testing.T) {
	ctx, m := context.Background(), orderMachine()
	dynamic := &EventInfo{Name: "Move", Dynamic: true, Edges: []Edge{{created, paid}}}
	_, event := FireEvent(ctx, nil, Postgres, m, dynamic, "o")
	_, to := FireTo(ctx, nil, Postgres, m, pay, paid, "o")
	_, many := FireBatch(ctx, nil, Postgres, m, dynamic, []any{"o"})
	for _, err := range []error{event, to, many} {
		if !errors.Is(err, ErrInvalidOp) {
			t.Error(err)
		}
	}
	for _, to := range []int{-1, len(m.States), math.MinInt} {
		if _, err := FireTo(ctx, nil, Postgres, m, dynamic, to, "o"); !errors.Is(err, ErrUnknownState) {
			t.Errorf("to %d: %v", to, err)
		}
	}
}

// An actor is kept as any database takes it.
func TestLaw_S9_Actor(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "ann": "ann", "a\x00b\xff": "a?b?", strings.Repeat("é", 200): strings.Repeat("é", 127),
	} {
		if got := ActorOf(WithActor(context.Background(), in)); got != want {
			t.Errorf("%q is %q", in, got)
		}
	}
	if got := ActorOf(context.Background()); got != "" {
		t.Errorf("nobody is %q", got)
	}
}

// What a once event did is kept by the values of its states, not by their numbers.
func TestLaw_C10_FiredSurvivesAnotherOrderOfStates(t *testing.T) {
	before := orderMachine()
	data, err := firedCodec{before}.Encode(Fired{From: paid, To: cancelled, Version: 1 << 40})
	if err != nil || int64(len(data)) > (firedCodec{before}).size() {
		t.Fatalf("%s, %v", data, err)
	}
	after := orderMachine()
	after.States[paid], after.States[shipped] = after.States[shipped], after.States[paid]
	var got Fired
	if err := (firedCodec{after}).Decode(data, &got); err != nil || got != (Fired{From: shipped, To: cancelled, Version: 1 << 40}) {
		t.Errorf("%+v, %v", got, err)
	}
	// As Postgres writes it.
	if err := (firedCodec{before}).Decode([]byte(`{"from" : "PAID", "to" : "SHIPPED", "version" : -1}`), &got); err != nil || got != (Fired{From: paid, To: shipped, Version: AnyVersion}) {
		t.Errorf("%+v, %v", got, err)
	}
	after.States = after.States[:2]
	if err := (firedCodec{after}).Decode(data, &got); !errors.Is(err, ErrUnknownState) {
		t.Errorf("%v", err)
	}
	for _, v := range []any{nil, 1, &got} {
		if _, err := (firedCodec{before}).Encode(v); err == nil {
			t.Errorf("%T was kept", v)
		}
	}
	if err := (firedCodec{before}).Decode(data, new(int)); err == nil {
		t.Error("an int was read")
	}
}

// With a history it alone says what was applied before.
func TestLaw_S2_HistoryDecides(t *testing.T) {
	m := orderMachine()
	m.History.SQLite.Into = "INSERT"
	word := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		s    seen
		want TransitionKind
	}{
		{seen{state: paid}, TransitionIllegal}, // nothing is recorded
		{seen{state: paid, history: word(0)}, TransitionIllegal},
		{seen{state: cancelled, history: word(historyPassed)}, TransitionSuperseded},
		{seen{state: paid, history: word(historyLast)}, TransitionDuplicate},
		{seen{state: created, history: word(historyLast)}, TransitionConflict},
		{seen{state: created, failed: GuardFence, history: word(historyLast)}, TransitionGuard},
	} {
		if got := m.classify(pay, -1, c.s); got != c.want {
			t.Errorf("%+v: %v, want %v", c.s, got, c.want)
		}
	}
}

// A version that failed is a conflict, too; other predicates are not.
func TestLaw_S2_WhichPredicateFailed(t *testing.T) {
	for part, text := range map[GuardPart]string{GuardWhere: "where", GuardVersion: "version", GuardFence: "fence", GuardUnique: "unique index"} {
		err := error(&TransitionError{Machine: "Status", Event: "Pay", From: "Paid", Kind: TransitionGuard, Failed: part})
		if !errors.Is(err, ErrGuardFailed) || errors.Is(err, ErrConflict) != (part == GuardVersion) || StatusOf(err).Err() != ErrGuardFailed ||
			err.Error() != "idem: Status.Pay: guard failed ("+text+") in state Paid" {
			t.Errorf("%v", err)
		}
	}
	if s := GuardPart(9).String(); s != "none" {
		t.Error(s)
	}
}
