package check

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// machine is one state machine on its way into the model.
type machine struct {
	*checker
	g        *group
	model    *model.Machine // nil when it could not be built
	name     string
	typeName string // of the annotated type, also where name= gives another
	typ      types.Type
	keyType  types.Type
	states   []*state
	byObject map[types.Object]*state
	// paramTypes are the types of an event's parameters, by name.
	paramTypes map[*model.Event]map[string]types.Type
	mapped     map[*state]directive.StateValue // by values=
	// deadEnds and unreachables are the states that deadend= and unreachable= name.
	deadEnds, unreachables map[*model.State]directive.Expr
	alias                  string // name of the annotated alias, or ""
	twice                  bool   // another machine of the package has the name
	bad                    bool   // an error was reported: the graph is not checked
}

// state is one state with what it was made of.
type state struct {
	*model.State
	obj types.Object
	val constant.Value
}

func (c *checker) allMachines() {
	for _, g := range c.groups {
		switch {
		case g.machine != nil:
			c.machine(g)
		case len(g.transitions) > 0 && !g.faulty:
			c.fail(diag.New(diag.CodeLooseTransition, g.transitions[0].pos, "//idem:transition without a //idem:statemachine on the same declaration").
				WithHint("write both in one doc comment"))
		}
	}
	// SQL may name states of any machine as constants.
	for _, m := range c.machines {
		m.guards()
	}
	c.sharedTables()
}

// machine checks one state machine and adds it to the model.
func (c *checker) machine(g *group) {
	m := &machine{checker: c, g: g, byObject: map[types.Object]*state{}}
	m.machinesByPath[c.p.Path] = append(m.machinesByPath[c.p.Path], m)
	out := &model.Machine{Pos: g.machinePos}
	if !m.subject(out) {
		return
	}
	m.columns(out)
	m.collect()
	if m.stateless() {
		m.fault(diag.New(diag.CodeNoStates, g.machinePos, "state machine %s has no states: the package has no constants of type %s", m.name, m.typeText(m.typ)))
		return
	}
	args := g.machine
	var initial *state
	if args.Initial.Set {
		initial = m.resolve(args.Initial.V)
	}
	finals := map[*state]directive.Expr{}
	for _, e := range args.Final.Elems {
		if s := m.resolve(e); s != nil {
			s.Final = true
			finals[s] = e
		}
	}
	m.namedStates()
	edges := m.transitions()
	if !m.values() {
		return
	}
	m.order(out)
	m.events(out, edges, finals)
	if initial != nil {
		out.Initial = initial.State
	}
	m.model = out
	c.machines = append(c.machines, m)
	if !m.bad && initial != nil && !g.faulty {
		m.graph(out, finals)
	}
}

// fault reports an error of this machine.
func (m *machine) fault(d diag.Diagnostic) {
	if !d.Warning {
		m.bad = true
	}
	m.fail(d)
}

// columns takes over where the state is stored.
func (m *machine) columns(out *model.Machine) {
	args := m.g.machine
	out.Table = strings.Split(args.Table.V, ".")
	out.Key, out.Column = args.Key.V, args.Column.V
	out.KeyType, m.keyType, out.KeyKind = model.Text("string"), types.Typ[types.String], model.KindString
	if !args.KeyType.Set || args.KeyType.V.Expr == nil {
		return
	}
	e := args.KeyType.V
	tv, info, err := m.eval(m.g, e, nil)
	switch {
	case err != nil:
		m.fault(diag.New(diag.CodeTypeUnresolved, e.Pos, "keytype %s can't be resolved: %s", e.Text, typeErrorText(err)).
			WithHint("%s", m.importHint(m.g, e.Expr)))
	case !tv.IsType():
		m.fault(diag.New(diag.CodeExpressionType, e.Pos, "keytype %s is not a type", e.Text))
	case unresolved(tv.Type):
		m.fault(diag.New(diag.CodeTypeUnresolved, e.Pos, "keytype %s can't be resolved", e.Text))
	case !isColumnType(tv.Type):
		m.fault(diag.New(diag.CodeExpressionType, e.Pos, "keytype %s can't be the key of a row", e.Text).
			WithHint("a key is a string, a slice of bytes, an integer, a bool, or a driver.Valuer (uuid.UUID is one)"))
	default:
		k := coder{p: m.p, file: m.g.file}
		out.KeyType, m.keyType, out.KeyKind = k.code(e.Expr, info), tv.Type, kindOf(tv.Type)
		return
	}
	m.keyType = nil
}

// isColumnType tells whether database/sql can hand a value of type t to a
// column that selects a row: what is a basic value underneath or bytes, and whatever
// has a Value method. A bare array of bytes it can't.
func isColumnType(t types.Type) bool {
	switch kindOf(t) {
	case model.KindString, model.KindBytes, model.KindInt, model.KindUint, model.KindBool:
		return true
	}
	return hasMethod(t, "Value", func(s *types.Signature) bool {
		return s.Params().Len() == 0 && s.Results().Len() == 2 && isError(s.Results().At(1).Type())
	})
}

func (m *machine) keyKind() model.Kind { return kindOf(m.keyType) }

func typeErrorText(err error) string {
	if te, ok := err.(types.Error); ok {
		return te.Msg
	}
	return err.Error()
}

func (m *machine) event(name string) *model.Event {
	for _, e := range m.model.Events {
		if e.Name == name || e.Ident == name {
			return e
		}
	}
	return nil
}

func (m *machine) eventNames() []string {
	var out []string
	for _, e := range m.model.Events {
		out = append(out, e.Name)
	}
	return out
}
