package directive

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// StateMachine is //idem:statemachine: the states of a type or a block of
// constants, and the column that holds them.
type StateMachine struct {
	Name        Val[string]      `arg:"name" form:"name" doc:"prefix of the generated names; by default the name of the type"`
	Table       Val[string]      `arg:"table,required" form:"table" doc:"table of the rows: orders or shop.orders"`
	Key         Val[string]      `arg:"key,required" form:"column" doc:"column that selects the row"`
	Column      Val[string]      `arg:"column,required" form:"column" doc:"column that holds the state"`
	Initial     Val[Expr]        `arg:"initial,required" form:"constant" doc:"constant of the state that new rows are in"`
	Final       List[Expr]       `arg:"final" form:"constant" doc:"constants of the states that nothing leads out of"`
	KeyType     Val[Expr]        `arg:"keytype" default:"string" doc:"Go type of the key"`
	Values      List[StateValue] `arg:"values" doc:"what the column holds for each state, where that is not the constant's value: Created:C,Paid:P. A number or true and false is written bare, a text bare or in 'quotes'"`
	Where       Val[Fragment]    `arg:"where" doc:"what a row must meet to be one of this machine at all, in SQL, such as tenant_id = :tenant: any other row is not found"`
	Set         Val[Assignments] `arg:"set" doc:"further columns that every event sets, in SQL, before its own set="`
	Create      Val[Assignments] `arg:"create" doc:"further columns of a new row, in SQL; those that where= compares with a parameter are given already"`
	Version     Val[string]      `arg:"version" form:"column" doc:"64-bit integer column that every event compares and increments"`
	Fence       Val[string]      `arg:"fence" form:"column" doc:"64-bit integer column that keeps the highest fence of a lock seen, and refuses older ones"`
	History     Val[string]      `arg:"history" form:"table" doc:"table that gets a row for the creation and for every event, in the same transaction"`
	Params      List[Named]      `arg:"params" form:"type" doc:"Go types of the parameters in where=, set= and create=, also of the transitions; string where none is given"`
	DeadEnd     List[Expr]       `arg:"deadend" form:"constant" doc:"constants of the states that have no way out though they are not final"`
	Unreachable List[Expr]       `arg:"unreachable" form:"constant" doc:"constants of the states that no path from the initial state leads to, but rows are in: old ones, or such as other code puts there"`
	Tests       Val[string]      `arg:"tests" enum:"true|false" default:"false" doc:"true: a test of the whole table on a database is generated as well"`
}

func stateMachineSpec() Spec {
	return Spec{
		Name:    "statemachine",
		Doc:     "makes a typed transition table and one guarded update per event",
		Targets: []TargetKind{Type, ConstBlock, VarBlock},
		New:     func() any { return new(StateMachine) },
	}
}

// validate refuses one column or table in two roles.
func (m *StateMachine) validate(d *decoder) {
	columns := []struct {
		arg string
		Val[string]
	}{{"key", m.Key}, {"column", m.Column}, {"version", m.Version}, {"fence", m.Fence}}
	for i, c := range columns {
		for _, first := range columns[:i] {
			if c.Set && first.Set && strings.EqualFold(c.V, first.V) {
				d.add(sameName(c.arg, first.arg, "column", c.Val, first.Val))
				break
			}
		}
	}
	if m.Table.Set && m.History.Set && strings.EqualFold(m.Table.V, m.History.V) {
		d.add(sameName("history", "table", "table", m.History, m.Table).WithHint("the history is a table of its own, with one row per event"))
	}
}

// sameName reports one column or table in two roles: MySQL and SQLite see no
// difference between upper and lower case in them.
func sameName(arg, first, what string, at, other Val[string]) diag.Diagnostic {
	return diag.New(diag.CodeContradiction, at.Pos, "%s= and %s= name the same %s %q", arg, first, what, at.V).
		WithRelated(other.Pos, "%s= is here", first)
}

// ColumnRole names the argument that a column is given by: the state, key,
// version and fence columns are written by the guard alone. It is "" for any
// other column.
func (m *StateMachine) ColumnRole(column string) (arg string, at model.Pos) {
	for _, c := range []struct {
		arg string
		Val[string]
	}{{"key", m.Key}, {"column", m.Column}, {"version", m.Version}, {"fence", m.Fence}} {
		if c.Set && strings.EqualFold(c.V, column) {
			return c.arg, c.Pos
		}
	}
	return "", model.Pos{}
}
