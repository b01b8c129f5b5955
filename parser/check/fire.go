package check

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// fireLayer checks //idem:fire and builds its layer.
func (m *method) fireLayer() {
	args := m.g.fire
	if args == nil {
		return
	}
	if !m.model.Tx() && !m.txFaulty {
		what := args.Machine.Text
		if what == "" { // which is told as well
			what = "an event"
		}
		m.fail(diag.New(diag.CodeFireWithoutTx, m.g.firePos, "%s takes no transaction, so it can't fire %s", m.title, what).
			WithHint("take the transaction as a parameter (tx *sql.Tx), or say with tx= of //idem:%s where it travels: the guard and the write must commit together", m.g.recordName()))
	}
	f := &model.Fire{Pos: m.g.firePos}
	mach := m.machine(f)
	if args.Key.Set {
		m.fireKey(f, mach)
	}
	if args.Lookup.Set {
		var keys []part
		if f.Key.Expr != nil {
			keys = append(keys, m.fireKeyPart)
		}
		f.Lookup = m.lookup(args.Lookup, keys)
	}
	if mach == nil || mach.model == nil {
		return
	}
	f.Machine = mach.model
	if f.Event = mach.event(args.Event.Text); f.Event == nil && args.Event.Text != "" {
		m.fail(diag.New(diag.CodeUnknownEvent, args.Event.Pos, "%s has no event %s", args.Machine.Text, args.Event.Text).
			WithSuggestion(args.Event.Text, mach.eventNames()))
		return
	}
	if f.Event != nil && !mach.bad {
		m.fireArgs(f, mach)
	}
	m.model.Fire = f
}

// machine finds the machine that a fire names; nil after a diagnostic, or when
// its package could not be read.
func (m *method) machine(f *model.Fire) *machine {
	e := m.g.fire.Machine
	pkg, name, dotted := strings.Cut(e.Text, ".")
	path := m.p.Path
	if !dotted {
		name = pkg
	} else {
		imp, ok := m.p.Import(m.g.file, pkg)
		if !ok {
			m.fail(diag.New(diag.CodeUnknownMachine, e.Pos, "this file does not import a package %s", pkg).
				WithHint("%s", m.g.importAdvice(pkg)))
			return nil
		}
		f.MachineImport = &imp
		path = imp.Path
	}
	var names []string
	for _, x := range m.machinesOf(path) {
		switch {
		case x == nil: // without it there is no guard: never go on in silence
			m.fail(diag.New(diag.CodeUnknownMachine, e.Pos, "state machine %s can't be read: package %s has syntax errors", e.Text, path).
				WithHint("run go vet %s to see them", path))
			return nil
		case x.name == name || x.typeName == name && x.typeName != "":
			if dotted && !ast.IsExported(x.name) {
				m.fail(diag.New(diag.CodeTypeNotNameable, e.Pos, "state machine %s is not exported by package %s", x.name, pkg))
				return nil
			}
			if x.p.Support && (x.bad || x.model == nil) {
				m.fail(diag.New(diag.CodeUnknownMachine, e.Pos, "state machine %s has faults of its own", e.Text).
					WithHint("run idemgen on package %s to see them", path))
				return nil
			}
			return x
		}
		names = append(names, x.name)
	}
	if e.Text == "" {
		return nil
	}
	d := diag.New(diag.CodeUnknownMachine, e.Pos, "no state machine %s", e.Text)
	if s := diag.Suggest(name, names); s != "" {
		if dotted {
			s = pkg + "." + s
		}
		d = d.WithHint("did you mean %q?", s)
	} else if dotted {
		d = d.WithHint("package %s declares no //idem:statemachine of that name", pkg)
	} else {
		d = d.WithHint("annotate the type of the states with //idem:statemachine")
	}
	m.fail(d)
	return nil
}

// machinesOf are the machines of a package: for a test of the package, those of
// the package itself as well.
func (m *method) machinesOf(path string) []*machine {
	return m.machinesByPath[path]
}

// fireKey checks key= against the type of the machine's key column.
func (m *method) fireKey(f *model.Fire, mach *machine) {
	e := m.g.fire.Key.V
	p, ok := m.expr.part(e)
	if !ok {
		return
	}
	f.Key, m.fireKeyPart = p.Part, p
	if mach == nil || mach.keyType == nil {
		return
	}
	if types.AssignableTo(p.typ, mach.keyType) {
		return
	}
	// The whole pointer may be what the column takes.
	if ptr, isPtr := types.Unalias(p.typ).Underlying().(*types.Pointer); isPtr && !p.Deref && types.AssignableTo(ptr.Elem(), mach.keyType) {
		p.Deref, p.typ = true, ptr.Elem()
		p.Guards = append(p.Guards, p.Expr)
		f.Key, m.fireKeyPart = p.Part, p
		return
	}
	d := diag.New(diag.CodeFireKeyType, e.Pos, "key %s is %s, but the key of %s is %s", e.Text, m.typeText(p.typ), m.g.fire.Machine.Text, m.typeText(mach.keyType))
	if types.ConvertibleTo(p.typ, mach.keyType) && p.Kind == mach.keyKind() {
		d = d.WithHint("write %s(%s), or give the machine keytype=%s", m.typeText(mach.keyType), e.Text, m.typeText(p.typ))
	} else {
		d = d.WithHint("give the machine keytype=%s", m.typeText(p.typ))
	}
	m.fail(d)
}
