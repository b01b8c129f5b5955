package check

import (
	"go/ast"
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// subject settles the name and the Go type of the states.
func (m *machine) subject(out *model.Machine) bool {
	switch t := m.g.target; {
	case t.Spec != nil:
		ts, ok := t.Spec.(*ast.TypeSpec)
		if !ok || !m.typeSubject(ts, out) {
			return false
		}
	default:
		d, ok := t.Decl.(*ast.GenDecl)
		if !ok || !m.blockSubject(d, out) {
			return false
		}
	}
	if arg := m.g.machine.Name; arg.Set {
		m.name = arg.V
	}
	out.Name = m.name
	for _, other := range m.machinesByPath[m.p.Path] {
		if other != nil && other != m && other.name == m.name && m.name != "" {
			m.fault(diag.New(diag.CodeDuplicateMachine, m.g.machinePos, "state machine %s is declared twice", m.name).
				WithRelated(other.g.machinePos, "it is declared here first").WithHint("give one of them another name="))
			m.twice = true
		}
	}
	return m.base(out)
}

// typeSubject takes the states' type from the annotated type.
func (m *machine) typeSubject(ts *ast.TypeSpec, out *model.Machine) bool {
	obj, ok := m.p.Info.Defs[ts.Name].(*types.TypeName)
	if !ok {
		m.fault(diag.New(diag.CodeStateType, m.p.Pos(ts.Name.Pos()), "type %s can't be resolved", ts.Name.Name))
		return false
	}
	m.name, m.typeName, m.typ = obj.Name(), obj.Name(), obj.Type()
	if ts.TypeParams != nil {
		m.fault(diag.New(diag.CodeStateType, m.p.Pos(ts.Name.Pos()), "generic type %s can't be a state", obj.Name()))
		return false
	}
	out.Type = model.Text(obj.Name())
	if obj.IsAlias() {
		m.alias = obj.Name()
		return true
	}
	out.Methods = true
	if named, ok := obj.Type().(*types.Named); ok {
		out.HasMethods = methodNames(named)
	}
	return true
}

func methodNames(n *types.Named) []string {
	names := map[string]bool{}
	for i := range n.NumMethods() {
		names[n.Method(i).Name()] = true
	}
	return sortedKeys(names)
}

// blockSubject takes the states' type from the constants or variables of a block.
func (m *machine) blockSubject(d *ast.GenDecl, out *model.Machine) bool {
	var first types.Object
	for _, obj := range m.blockObjects(d) {
		t := types.Default(obj.Type())
		if first == nil {
			first, m.typ = obj, t
			continue
		}
		if !types.Identical(t, m.typ) && untypedInt(obj) && untypedInt(first) {
			m.typ = types.Typ[types.Int] // a rune beside an integer is one more integer
			continue
		}
		if !types.Identical(t, m.typ) {
			m.fault(diag.New(diag.CodeMixedConstants, m.p.Pos(obj.Pos()), "%s is %s, but %s is %s", obj.Name(), m.typeText(t), first.Name(), m.typeText(m.typ)).
				WithRelated(m.p.Pos(first.Pos()), "%s is here", first.Name()).
				WithHint("the constants of one block are the states of one machine and need one type"))
			return false
		}
	}
	if first == nil {
		m.fault(diag.New(diag.CodeNoStates, m.g.machinePos, "the block declares no states"))
		return false
	}
	named, isNamed := types.Unalias(m.typ).(*types.Named)
	switch {
	case !isNamed:
		out.Type = model.Text(m.typeText(m.typ))
	case named.Obj().Pkg() == m.p.Types:
		m.name, m.typeName = named.Obj().Name(), named.Obj().Name()
		out.Type, out.Methods, out.HasMethods = model.Text(m.typeName), true, methodNames(named)
	default:
		m.name = named.Obj().Name()
		imp := m.p.ImportOf(m.g.file, named.Obj().Pkg().Path(), named.Obj().Pkg().Name())
		out.Type = model.Code{{Kind: model.TokQual, Text: named.Obj().Name(), Import: imp}}
	}
	if m.name == "" && !m.g.machine.Name.Set {
		m.fault(diag.New(diag.CodeMissingArgument, m.g.machinePos, "//idem:statemachine on a block of %s constants needs name=", m.typeText(m.typ)).
			WithHint("name= is the prefix of the generated names: name=OrderStatus"))
		return false
	}
	return true
}

// untypedInt tells whether a constant without a type is an integer or a rune.
func untypedInt(obj types.Object) bool {
	b, ok := obj.Type().(*types.Basic)
	return ok && (b.Kind() == types.UntypedInt || b.Kind() == types.UntypedRune)
}

// blockObjects are the constants or variables of a declaration, blank ones left out.
func (m *machine) blockObjects(d *ast.GenDecl) []types.Object {
	var out []types.Object
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for _, id := range v.Names {
			if obj := m.p.Info.Defs[id]; obj != nil && id.Name != "_" {
				out = append(out, obj)
			}
		}
	}
	return out
}

// base settles how states are compared and stored.
func (m *machine) base(out *model.Machine) bool {
	b, ok := m.typ.Underlying().(*types.Basic)
	if ok {
		out.Base = basicKind(b)
		if int(b.Kind()) < len(types.Typ) && out.Base != model.KindOther {
			out.BaseType = types.Typ[b.Kind()].Name()
			if b.Kind() != types.Uintptr {
				return true
			}
		}
	}
	at := m.g.machinePos
	if ts, ok := m.g.target.Spec.(*ast.TypeSpec); ok {
		at = m.p.Pos(ts.Type.Pos())
		if unresolved(m.typ) {
			if d, ok := m.typeError(ts.Type); ok {
				m.fault(d)
				return false
			}
		}
	}
	m.fault(diag.New(diag.CodeStateType, at, "%s can't be a state: it is %s", m.name, m.typeText(m.typ.Underlying())).
		WithHint("states are strings, integers, bytes or bools"))
	return false
}
