package check

import (
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// eventGuards adds to each event what its first transition says. set is what every
// event sets, done the columns of that.
func (m *machine) eventGuards(out *model.Machine, every *sqlScope, set []model.Assign, done []assigned) {
	first := map[string]transition{}
	m.paramTypes = map[*model.Event]map[string]types.Type{}
	for _, t := range m.g.transitions {
		name := t.Event.Text
		if name == "" {
			continue
		}
		if f, later := first[name]; later {
			m.lateArguments(t, f)
			continue
		}
		first[name] = t
		ev := m.event(name)
		if ev == nil || ev.Name != name {
			continue // none of its edges could be resolved
		}
		scope := every.fork()
		own := m.paramDecls(m.g, t.Params, m.fault)
		m.redeclared(own, every.decls)
		scope.decls = append(own[:len(own):len(own)], every.decls...)
		m.dynamicParam(t, scope)
		a := assigner{machine: m, scope: scope, done: done[:len(done):len(done)]}
		// The parameters of the function stand in the order written.
		whereFirst := comparePos(t.Where.Pos, t.Set.Pos) < 0
		if whereFirst {
			ev.Where = scope.frag(t.Where.V.Tokens)
		}
		ev.Set = append(set[:len(set):len(set)], a.all(t.Set.V.List)...)
		if !whereFirst {
			ev.Where = scope.frag(t.Where.V.Tokens)
		}
		ev.Params, m.paramTypes[ev] = scope.params, scope.types
		if ev.Once = t.Once.Set; ev.Once {
			ev.TTL = int64(t.TTL.V)
		}
		if !m.g.faulty {
			scope.unused(own)
		}
	}
	m.guardMethods(out)
}

// lateArguments refuses arguments on a later transition of an event: they would
// hold for the earlier ones as well, which nobody could see there.
func (m *machine) lateArguments(t, first transition) {
	for _, a := range []struct {
		set  bool
		name string
		at   model.Pos
	}{
		{t.Once.Set, "once", t.Once.KeyPos}, {t.TTL.Set, "ttl=", t.TTL.KeyPos}, {t.Set.Set, "set=", t.Set.KeyPos},
		{t.Where.Set, "where=", t.Where.KeyPos}, {t.Params.Set, "params=", t.Params.KeyPos},
	} {
		if a.set {
			m.fault(diag.New(diag.CodeEventArguments, a.at, "%s holds for all of event %s, so it is written on its first transition", a.name, t.Event.Text).
				WithRelated(first.Event.Pos, "the first transition of %s is here", t.Event.Text).
				WithHint("move it there, or give this transition an event of its own"))
		}
	}
}

// redeclared refuses a second type for a parameter of the machine.
func (m *machine) redeclared(own, machine []*paramDecl) {
	for _, d := range own {
		for _, first := range machine {
			if first.name.Text == d.name.Text {
				m.fault(diag.New(diag.CodeRepeatedArgument, d.name.Pos, "parameter %s is declared twice", d.name.Text).
					WithRelated(first.name.Pos, "the machine declares it here, for all its events").WithHint("remove one of the two"))
				d.used = true
			}
		}
	}
}

// dynamicParam keeps the name of a dynamic event's target free.
func (m *machine) dynamicParam(t transition, scope *sqlScope) {
	target := t.Param.Text
	if target == "" {
		return
	}
	taken := scope.taken
	if why := taken(target); why != "" {
		m.fault(diag.New(diag.CodeParamName, t.Param.Pos, "the target can't be called :%s: %s", target, why).WithHint("give it another name"))
	}
	for _, p := range scope.params {
		if p.Name == target {
			m.fault(diag.New(diag.CodeParamName, t.Param.Pos, "the target can't be called :%s: a parameter of the machine has the name", target).
				WithRelated(p.Pos, "it is here").WithHint("give one of them another name"))
			return
		}
	}
	scope.taken = func(name string) string {
		if name == target {
			return target + " is the target of the event"
		}
		return taken(name)
	}
}

// guardMethods refuses events whose functions would have the name of another
// function of the guard.
func (m *machine) guardMethods(out *model.Machine) {
	byIdent := map[string]*model.Event{}
	for _, ev := range out.Events {
		byIdent[upper(ev.Ident)] = ev
	}
	for _, ev := range out.Events {
		name := upper(ev.Ident)
		if other := byIdent[name+"All"]; other != nil && !ev.Dynamic {
			m.fault(diag.New(diag.CodeNameCollision, other.Pos, "event %s can't be called so: %sAll is the form of event %s that takes many keys", other.Name, name, ev.Name).
				WithRelated(ev.Pos, "%s is here", ev.Name))
		}
	}
	if ev := byIdent["Allowed"]; ev != nil {
		m.fault(diag.New(diag.CodeNameCollision, ev.Pos, "event %s can't be called so: Allowed lists the events of a state", ev.Name))
	}
	if create, row := byIdent["Create"], byIdent["CreateRow"]; create != nil && row != nil {
		m.fault(diag.New(diag.CodeNameCollision, row.Pos, "event %s can't be called so: beside an event %s it is the function that makes a row", row.Name, create.Name).
			WithRelated(create.Pos, "%s is here", create.Name))
	}
}
