package check

import (
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// taken is a parameter of an event's function behind the key.
type taken struct {
	name string
	typ  types.Type
	// version: without a value any version will do.
	version bool
	// fence: without a value that of the method's lock is meant.
	fence bool
}

// takes are the parameters of an event's function in their order.
func (m *machine) takes(ev *model.Event) []taken {
	var out []taken
	if ev.Dynamic {
		out = append(out, taken{name: ev.Target, typ: m.typ})
	}
	if m.model.Version != "" {
		out = append(out, taken{name: "version", typ: types.Typ[types.Int64], version: true})
	}
	if m.model.Fence != "" {
		out = append(out, taken{name: "fence", typ: types.Typ[types.Int64], fence: true})
	}
	for _, p := range ev.Params {
		out = append(out, taken{name: p.Name, typ: m.paramTypes[ev][p.Name]})
	}
	return out
}

// fireArgs finds what each parameter of the event gets: what args= says, else the
// method's parameter of the same name.
func (m *method) fireArgs(f *model.Fire, mach *machine) {
	given := map[string]directive.Named{}
	for _, a := range m.g.fire.Args.Elems {
		given[a.Name.Text] = a
	}
	takes := mach.takes(f.Event)
	meant := m.unknownArgs(mach, f.Event, takes)
	for _, t := range takes {
		if t.typ == nil {
			continue // diagnosed where the machine is
		}
		arg, isGiven := given[t.name]
		i := m.param(t.name)
		switch {
		case isGiven && t.version && arg.Expr.Text == anyVersion:
			f.Args = append(f.Args, model.FireArg{Pos: arg.Name.Pos, Name: t.name, Text: anyVersion, AnyVersion: true})
		case isGiven:
			if a, ok := m.givenArg(f, t, arg); ok {
				f.Args = append(f.Args, a)
			}
		case i >= 0:
			if a, ok := m.namedArg(f, t, i); ok {
				f.Args = append(f.Args, a)
			}
		case t.version:
			f.Args = append(f.Args, model.FireArg{Pos: m.g.firePos, Name: t.name, AnyVersion: true})
		case t.fence && m.g.lock != nil:
			f.Args = append(f.Args, model.FireArg{Pos: m.g.firePos, Name: t.name, LockFence: true})
		case meant[t.name]: // misspelt, and told
		default:
			m.fail(diag.New(diag.CodeFireArgMissing, m.g.fire.Event.Pos, "event %s takes %s %s, and %s has no parameter of that name", f.Event.Name, t.name, m.typeText(t.typ), m.title).
				WithHint("%s", missingArgHint(t)))
		}
	}
}

func missingArgHint(t taken) string {
	if t.fence {
		return "say with args=fence:… what it gets, or add //idem:lock: its fence is taken"
	}
	return "say with args=" + t.name + ":… what it gets"
}

// anyVersion is what args=version: says for any version.
const anyVersion = "any"

// unknownArgs refuses args= for what the event does not take, and returns what they
// were meant for.
func (m *method) unknownArgs(mach *machine, ev *model.Event, takes []taken) (meant map[string]bool) {
	meant = map[string]bool{}
	var names []string
	for _, t := range takes {
		names = append(names, t.name)
	}
	for _, a := range m.g.fire.Args.Elems {
		known := false
		for _, n := range names {
			known = known || n == a.Name.Text
		}
		if known {
			continue
		}
		meant[diag.Suggest(a.Name.Text, names)] = true
		d := diag.New(diag.CodeFireArgUnknown, a.Name.Pos, "event %s takes no %s", ev.Name, a.Name.Text)
		switch {
		case a.Name.Text == "version" || a.Name.Text == "fence":
			d = d.WithHint("state machine %s has no %s=", mach.name, a.Name.Text)
		case len(names) == 0:
			d = d.WithHint("it takes nothing beside the key")
		default:
			if d = d.WithSuggestion(a.Name.Text, names); d.Hint == "" {
				d = d.WithHint("it takes %s", strings.Join(names, ", "))
			}
		}
		m.fail(d)
	}
	return meant
}

// givenArg checks an expression of args=.
func (m *method) givenArg(f *model.Fire, t taken, arg directive.Named) (model.FireArg, bool) {
	v, guards, ok := m.expr.argument(arg.Expr)
	if !ok {
		return model.FireArg{}, false
	}
	a := model.FireArg{Pos: arg.Expr.Pos, Name: t.name, Text: arg.Expr.Text, Expr: v.code, Guards: guards}
	fits := false
	if v.tv.Value != nil && isUntyped(v.typ) { // assignable says nothing of the value
		fits = fitsConstant(v.tv.Value, t.typ)
	} else {
		fits = m.fit(&a, v.typ, t.typ)
	}
	if fits {
		return a, true
	}
	m.fail(m.misfit(arg.Expr.Pos, f, t, arg.Expr.Text, v.typ))
	return model.FireArg{}, false
}

// namedArg takes the method's parameter of the same name.
func (m *method) namedArg(f *model.Fire, t taken, i int) (model.FireArg, bool) {
	p := m.model.Params[i]
	a := model.FireArg{Pos: p.Pos, Name: t.name, Text: p.Name, Expr: model.Code{{Kind: model.TokParam, Text: p.Name, Index: i}}}
	if i == m.model.TxParam {
		m.fail(diag.New(diag.CodeFireArgType, m.g.fire.Event.Pos, "event %s takes %s, but the parameter %s of %s is the transaction", f.Event.Name, t.name, p.Name, m.title).
			WithHint("say with args=%s:… what it gets", t.name))
		return a, false
	}
	typ := m.sig.Params().At(i).Type()
	if m.fit(&a, typ, t.typ) {
		return a, true
	}
	d := m.misfit(m.g.fire.Event.Pos, f, t, "parameter "+p.Name+" of "+m.title, typ).WithRelated(p.Pos, "%s is here", p.Name)
	if t.version {
		d = d.WithHint("say with args=version:… which version is expected; args=version:any is for any")
	} else {
		d = d.WithHint("say with args=%s:… what it gets", t.name)
	}
	m.fail(d)
	return a, false
}

func (m *method) misfit(at model.Pos, f *model.Fire, t taken, text string, typ types.Type) diag.Diagnostic {
	d := diag.New(diag.CodeFireArgType, at, "%s is %s, but %s of event %s is %s", text, m.typeText(typ), t.name, f.Event.Name, m.typeText(t.typ))
	if types.ConvertibleTo(typ, t.typ) && kindOf(typ) == kindOf(t.typ) {
		return d.WithHint("not every value fits: convert it where you know that it does")
	}
	return d
}

// fit makes an expression of type from one of the wanted type: as it is, through a
// pointer, or by a conversion that keeps every value.
func (m *method) fit(a *model.FireArg, from, want types.Type) bool {
	if m.convert(a, a.Expr, from, want) {
		return true
	}
	ptr, ok := types.Unalias(from).Underlying().(*types.Pointer)
	pointer := a.Expr
	if !ok || !m.convert(a, wrapCode("*", pointer, ""), ptr.Elem(), want) {
		return false
	}
	a.Guards = append(a.Guards, pointer)
	return true
}
