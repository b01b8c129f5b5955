package templates

import (
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// machinePlan names what a state machine declares.
type machinePlan struct {
	*model.Machine
	event, guard, newGuard, parse, states string   // StatusEvent, StatusGuard, NewStatusGuard, ParseStatus, StatusStates
	events                                []string // StatusPay, by event index
	once                                  []string // StatusPayOnce, by event index; "" without once
	funcs                                 []string // StatusValid, … where methods can't be had; as machineQuestions

	data, eventData, values string   // statusMachine, statusEventData, statusValues
	sources, targets        string   // statusSources, statusTargets: the bit sets
	next                    string   // statusNext: where events lead
	index, allows, changed  string   // statusIndex, statusAllows, statusChange
	columns, ofColumn       string   // statusColumns, statusOf: where values= says what the column holds, else ""
	ops                     []string // opStatusPay, by event index; "" without once
	test, testKey           string   // TestIdemStatus, and the function of the user's that makes keys

	// Members of the guard.
	methods                        []string // Pay, by event index
	batches                        []string // PayAll, by event index
	create, allowed                string   // Create, Allowed
	fire, fireTo, fireAll, dialect string
}

// machine names what a state machine declares. Names that callers use are
// fixed; hide chooses the others.
func (p *plan) machine(m *model.Machine) *machinePlan {
	mp := &machinePlan{Machine: m}
	what := "of the state machine " + m.Name
	mp.event = p.name(m.Pos, m.Name+"Event", "the event type "+what)
	for _, ev := range m.Events {
		mp.events = append(mp.events, p.name(ev.Pos, eventName(m.Name, ev), "the event "+ev.Name+" "+what))
	}
	for _, ev := range m.Events {
		name := ""
		if ev.Once && !ev.Dynamic { // a target can't be part of the record
			name = p.name(ev.Pos, eventName(m.Name, ev)+"Once", "the event "+ev.Name+" "+what+" with a key of its own")
		}
		mp.once = append(mp.once, name)
	}
	guard, constructor := guardNames(m.Name)
	mp.guard = p.name(m.Pos, guard, "the guard "+what)
	mp.newGuard = p.name(m.Pos, constructor, "the guard's constructor "+what)
	mp.parse = p.name(m.Pos, cased("parse", m.Name), "the parser "+what)
	mp.states = p.name(m.Pos, m.Name+"States", "the list of states "+what)
	if !m.Methods {
		for _, q := range machineQuestions {
			mp.funcs = append(mp.funcs, p.name(m.Pos, m.Name+q.name, "a function "+what))
		}
	}
	mp.members()
	return mp
}

// members names the methods of the guard. Events keep theirs; what stands beside
// them steps aside for an event of the same name.
func (m *machinePlan) members() {
	for _, ev := range m.Events {
		m.methods = append(m.methods, names.Upper(ev.Ident))
	}
	taken := names.NewSet(m.methods)
	free := func(want string) string {
		name := names.Fresh(want, taken)
		taken.Add(name)
		return name
	}
	for _, name := range m.methods {
		m.batches = append(m.batches, free(name+"All"))
	}
	if m.create = "Create"; taken.Has(m.create) {
		m.create = "CreateRow"
	}
	m.create, m.allowed = free(m.create), free("Allowed")
	m.fire, m.fireTo, m.fireAll, m.dialect = free("fire"), free("fireTo"), free("fireAll"), free("dialect")
}

// hide chooses the names of a machine that only generated code uses.
func (m *machinePlan) hide(p *plan) {
	base := names.Lower(m.Name)
	m.data = p.hidden(base + "Machine")
	m.eventData = p.hidden(base + "EventData")
	m.values = p.hidden(base + "Values")
	m.sources = p.hidden(base + "Sources")
	m.targets = p.hidden(base + "Targets")
	m.next = p.hidden(base + "Next")
	m.index = p.hidden(base + "Index")
	m.allows = p.hidden(base + "Allows")
	m.changed = p.hidden(base + "Change")
	if mapped(m.Machine) {
		m.columns = p.hidden(base + "Columns")
		m.ofColumn = p.hidden(base + "Of")
	}
	if m.Tests {
		m.test = p.hidden("TestIdem" + names.Upper(m.Name))
		m.testKey = "idemTest" + names.Upper(m.Name) + "Key"
	}
	for i, name := range m.once {
		op := ""
		if name != "" {
			op = p.hidden("op" + names.Upper(m.events[i]))
		}
		m.ops = append(m.ops, op)
	}
}

// mapped tells whether the column holds other values than Go does.
func mapped(m *model.Machine) bool { return m.States[0].Mapped }
