package parser

import (
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/model"
)

// code shows code with the names that are kept apart in braces: {context}.Context,
// {example.com/m/x as y}.T, {0 id} for a parameter, {recv s}.
func code(c model.Code) string {
	var b strings.Builder
	for _, t := range c {
		switch t.Kind {
		case model.TokText:
			b.WriteString(t.Text)
		case model.TokQual:
			name := t.Import.Path
			if t.Import.Name != t.Import.Path {
				name += ":" + t.Import.Name
			}
			if t.Import.Alias != "" {
				name += " as " + t.Import.Alias
			}
			fmt.Fprintf(&b, "{%s}.%s", name, t.Text)
		case model.TokParam:
			fmt.Fprintf(&b, "{%d %s}", t.Index, t.Text)
		case model.TokRecv:
			fmt.Fprintf(&b, "{recv %s}", t.Text)
		}
	}
	return b.String()
}

var kinds = []string{"other", "string", "bytes", "int", "uint", "bool", "bytearray", "text", "stringer", "context", "func"}

func part(p model.Part) string {
	s := kinds[p.Kind] + " " + code(p.Expr)
	if p.Deref {
		s += " deref"
	}
	for i, g := range p.Guards {
		s += []string{" unless nil: ", ", "}[min(i, 1)] + code(g)
	}
	return s
}

func typeParams(list []model.TypeParam) string {
	if list == nil {
		return ""
	}
	var out []string
	for _, t := range list {
		out = append(out, t.Name+" "+code(t.Constraint))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func lookup(l *model.Lookup) string {
	if l == nil {
		return "refused"
	}
	var args []string
	for _, a := range l.Args {
		switch {
		case a.Ctx:
			args = append(args, "ctx")
		case a.Tx:
			args = append(args, "tx")
		case a.Param >= 0:
			args = append(args, fmt.Sprintf("param %d%s", a.Param, map[bool]string{true: "..."}[a.Spread]))
		default:
			text := code(a.Part.Expr)
			if a.Part.Deref {
				text = "*" + text
			}
			args = append(args, text)
		}
	}
	return fmt.Sprintf("%s(%s) error=%v", l.Method, strings.Join(args, ", "), l.Error)
}

// dumper writes a model as text, for comparisons; positions are left out.
type dumper struct{ strings.Builder }

func (d *dumper) line(depth int, format string, args ...any) {
	fmt.Fprintf(d, strings.Repeat("\t", depth)+format+"\n", args...)
}

func dump(p *model.Package) string {
	var d dumper
	d.line(0, "package %s %s %s %s", p.Path, p.Name, p.Output, p.Constraint)
	if len(p.Sentinels) > 0 {
		d.line(0, "sentinels %s", strings.Join(p.Sentinels, " "))
	}
	for _, s := range p.Services {
		d.line(0, "service %s%s interface=%v members %s", s.Name, typeParams(s.TypeParams), s.Interface, strings.Join(s.Members, " "))
		for _, m := range s.Methods {
			d.method(m)
		}
	}
	for _, f := range p.Funcs {
		d.method(f)
	}
	for _, m := range p.Machines {
		d.machine(m)
	}
	return d.String()
}

func (d *dumper) method(m *model.Method) {
	var params, results []string
	for _, p := range m.Params {
		params = append(params, strings.TrimSpace(p.Name+" "+code(p.Type)+" /"+kinds[p.Kind]+"/"))
	}
	for _, r := range m.Results {
		results = append(results, strings.TrimSpace(r.Name+" "+code(r.Type)))
	}
	d.line(1, "func (%s ptr=%v) %s%s(%s) (%s)", m.Recv, m.PtrRecv, m.Name, typeParams(m.TypeParams), strings.Join(params, ", "), strings.Join(results, ", "))
	d.line(2, "op %s variadic=%v ctx=%d tx=%d txctx=%v", m.OpName, m.Variadic, m.CtxParam, m.TxParam, m.TxCtx)
	if m.CtxExpr != nil {
		d.line(2, "ctx %s", code(m.CtxExpr))
	}
	if m.Scope != nil {
		d.line(2, "scope %s", part(model.Part{Kind: model.KindString, Expr: m.Scope, Guards: m.ScopeGuards}))
	}
	for _, p := range m.Match {
		d.line(2, "match %s: %s", p.Text, part(p))
	}
	d.outerLayers(m)
	if o := m.Once; o != nil {
		d.line(2, "once ttl=%v lease=%v wait=%v orphan=%d max=%d noresult=%v open=%v", time.Duration(o.TTL), time.Duration(o.Lease), time.Duration(o.Wait), o.Orphan, o.MaxResult, o.NoResult, o.FailOpen)
		for _, p := range o.Key {
			d.line(3, "key %s: %s", p.Text, part(p))
		}
		for _, r := range o.Errors {
			d.line(3, "error %s %s: %s", r.Do, r.Name, code(r.Expr))
		}
		if o.Codec != nil {
			d.line(3, "codec %s", code(o.Codec))
		}
		if o.Lookup != nil {
			d.line(3, "lookup %s", lookup(o.Lookup))
		}
	}
	if f := m.Fire; f != nil {
		pkg := ""
		if f.MachineImport != nil {
			pkg = f.MachineImport.Path + "."
		}
		d.line(2, "fire %s%s.%s key %s", pkg, f.Machine.Name, f.Event.Name, part(f.Key))
		for _, a := range f.Args {
			if a.AnyVersion {
				d.line(3, "arg %s any", a.Name)
				continue
			}
			if a.LockFence {
				d.line(3, "arg %s of the lock", a.Name)
				continue
			}
			d.line(3, "arg %s %s: %s", a.Name, a.Text, strings.TrimPrefix(part(model.Part{Expr: a.Expr, Guards: a.Guards}), "other "))
		}
		if f.Lookup != nil {
			d.line(3, "lookup %s", lookup(f.Lookup))
		}
	}
	d.innerLayers(m)
}

// frag shows SQL with its parameters as {0 tenant} and constants as {Paid = "PAID"}.
func frag(f model.Frag) string {
	var b strings.Builder
	for _, t := range f {
		switch t.Kind {
		case model.FragName:
			b.WriteString("`" + t.Text + "`")
		case model.FragParam:
			fmt.Fprintf(&b, "{%d %s}", t.Param, t.Text)
		case model.FragValue:
			fmt.Fprintf(&b, "{%s %s = %s %+v}", t.Text, code(t.Const), t.Literal, t.Value)
		case model.FragText:
			fmt.Fprintf(&b, "%q", t.Text)
		default:
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func sqlParams(list []model.SQLParam) string {
	var out []string
	for _, p := range list {
		out = append(out, p.Name+" "+code(p.Type)+" /"+kinds[p.Kind]+"/")
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func (d *dumper) assigns(what string, list []model.Assign) {
	for _, a := range list {
		d.line(2, "%s %s = %s", what, a.Column, frag(a.Expr))
	}
}

// guard shows what a machine has beside states and events, if anything.
func (d *dumper) guard(m *model.Machine) {
	if m.Version+m.Fence != "" || m.History != nil || m.Tests {
		d.line(1, "version=%s fence=%s history=%s tests=%v", m.Version, m.Fence, strings.Join(m.History, "."), m.Tests)
	}
	if m.Where != nil {
		d.line(1, "where %s %s", frag(m.Where), sqlParams(m.Params))
	}
	if m.Same != nil || m.Create != nil {
		d.line(1, "create %s", sqlParams(m.CreateParams))
		d.assigns("same", m.Same)
		d.assigns("set", m.Create)
	}
}

func (d *dumper) eventGuard(e *model.Event) {
	if e.Once {
		d.line(2, "once ttl=%v", time.Duration(e.TTL))
	}
	if e.Params != nil {
		d.line(2, "params %s", sqlParams(e.Params))
	}
	if e.Where != nil {
		d.line(2, "where %s", frag(e.Where))
	}
	d.assigns("set", e.Set)
}

func (d *dumper) machine(m *model.Machine) {
	initial := "none"
	if m.Initial != nil {
		initial = m.Initial.Ident
	}
	d.line(0, "machine %s %s methods=%v %v %s %s table=%s key=%s %s column=%s initial=%s", m.Name, code(m.Type), m.Methods, m.HasMethods, kinds[m.Base], m.BaseType,
		strings.Join(m.Table, "."), m.Key, code(m.KeyType), m.Column, initial)
	d.guard(m)
	for _, s := range m.States {
		mapped := map[bool]string{true: " mapped"}[s.Mapped]
		d.line(1, "state %d %s %s const=%v %s sql=%+v%s final=%v dominated by %v", s.Index, s.Ident, code(s.Const), s.Constant, s.Value, s.SQL, mapped, s.Final, s.DominatedBy)
	}
	for _, e := range m.Events {
		var edges []string
		for _, x := range e.Edges {
			edges = append(edges, fmt.Sprintf("%s->%s%s", m.States[x.From].Ident, m.States[x.To].Ident, map[bool]string{true: "*"}[x.Wildcard]))
		}
		dynamic := map[bool]string{true: " to :" + e.Target}[e.Dynamic]
		d.line(1, "event %d %s %s%s %s proofs=%v", e.Index, e.Name, e.Ident, dynamic, strings.Join(edges, " "), e.Proofs)
		d.eventGuard(e)
	}
}
