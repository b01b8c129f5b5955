package directive

import "github.com/idemgen/idemgen/parser/diag"

// StateMachine is //idem:statemachine: the states of a type or a block of
// constants, and the column that holds them.
type StateMachine struct {
	Name    Val[string] `arg:"name" form:"name" doc:"prefix of the generated names; by default the name of the type"`
	Table   Val[string] `arg:"table,required" form:"table" doc:"table of the rows: orders or shop.orders"`
	Key     Val[string] `arg:"key,required" form:"column" doc:"column that selects the row"`
	Column  Val[string] `arg:"column,required" form:"column" doc:"column that holds the state"`
	Initial Val[Expr]   `arg:"initial,required" form:"constant" doc:"constant of the state that new rows are in"`
	Final   List[Expr]  `arg:"final" form:"constant" doc:"constants of the states that nothing leads out of"`
	KeyType Val[Expr]   `arg:"keytype" default:"string" doc:"Go type of the key"`
	Where   Planned     `arg:"where" doc:"further predicates of the guard"`
	Version Planned     `arg:"version" doc:"version column"`
	History Planned     `arg:"history" doc:"table that gets one row per transition"`
	Set     Planned     `arg:"set" doc:"further columns that a transition sets"`
}

func stateMachineSpec() Spec {
	return Spec{
		Name:    "statemachine",
		Doc:     "makes a typed transition table and one guarded update per event",
		Targets: []TargetKind{Type, ConstBlock, VarBlock},
		New:     func() any { return new(StateMachine) },
	}
}

// validate refuses one column in two roles.
func (m *StateMachine) validate(d *decoder) {
	if m.Key.Set && m.Column.Set && m.Key.V == m.Column.V {
		d.add(diag.New(diag.CodeContradiction, m.Column.Pos, "column= and key= name the same column %q", m.Column.V).
			WithRelated(m.Key.Pos, "key= is here"))
	}
}
