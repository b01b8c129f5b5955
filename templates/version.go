package templates

import (
	"go/token"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// versionPlan names what a versioned struct declares.
type versionPlan struct {
	*model.Version
	guard, newGuard string   // AccountGuard, NewAccountGuard
	data            string   // accountVersion
	updates         []string // accountDeduct, by update
	dialect         string   // field of the guard
}

// version names what a versioned struct declares. Names that callers use are
// fixed; hide chooses the others.
func (p *plan) version(v *model.Version) *versionPlan {
	guard, constructor := guardNames(v.Name)
	what := "of the version " + v.Name
	vp := &versionPlan{Version: v, guard: p.name(v.Pos, guard, "the guard "+what)}
	vp.newGuard = p.name(v.Pos, constructor, "the guard's constructor "+what)
	return vp
}

// hide chooses the names of a version that only generated code uses.
func (v *versionPlan) hide(p *plan) {
	base := names.Lower(v.Name)
	v.data = p.hidden(base + "Version")
	methods := names.NewSet()
	for _, u := range v.Updates {
		v.updates = append(v.updates, p.hidden(base+names.Upper(u.Name)))
		methods.Add(u.Name)
	}
	v.dialect = names.Fresh("dialect", methods)
}

// version declares everything of a versioned struct.
func (e *emitter) version(v *versionPlan) []jen.Code {
	b := &versionBuilder{emitter: e, v: v}
	decls := b.drift()
	decls = append(decls, b.info())
	for i, u := range v.Updates {
		decls = append(decls, b.updateInfo(i, u))
	}
	decls = append(decls, b.guardType(), b.constructor())
	for i, u := range v.Updates {
		decls = append(decls, b.update(i, u))
	}
	return decls
}

// versionBuilder holds what the declarations of one version share.
type versionBuilder struct {
	*emitter
	v *versionPlan
}

// drift declares lines that stop compiling when a constant in the SQL changes its value.
func (b *versionBuilder) drift() []jen.Code {
	frags := []model.Frag{b.v.Where}
	for _, u := range b.v.Updates {
		for _, a := range u.Set {
			frags = append(frags, a.Expr)
		}
		frags = append(frags, u.Where)
	}
	var lines []jen.Code
	known := names.NewSet()
	for _, f := range frags {
		for _, tok := range f {
			if id := names.Identity(tok.Const); tok.Const != nil && !known.Has(id) {
				known.Add(id)
				lines = append(lines, b.driftLine(tok.Const, tok.Literal, tok.Value.Bool))
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []jen.Code{
		doc("A line that does not compile here says that a constant in the SQL of "+b.v.Name+" has another value than this file was",
			"generated for: run go generate, and migrate the rows that hold the old value.").Line().
			Var().Defs(lines...),
	}
}

func (b *versionBuilder) guardType() jen.Code {
	v := b.v
	lines := []string{
		v.guard + " updates rows of " + strings.Join(v.Table, ".") + " under the optimistic lock of their column " + v.Column.Name + ".",
		"Each update is one statement: it takes the version that the caller has read, writes the columns that it names and no",
		"others, and counts the version up. It returns the new version, which the next update in the same transaction expects.",
		"Nothing in memory changes: keep the new version once the transaction has committed (idem.AfterCommit). An update that",
		"was not applied is a *idem.VersionError: NotFound (no such row), Conflict (the row has another version: read it again",
		"in a new transaction, as idem.RetryOnConflict does), Guard (the row has the version, but a condition of the update does",
		"not hold). A crash before the transaction's commit leaves the row as it was.",
	}
	if len(v.Where) > 0 {
		lines = append(lines, "", "A row that does not meet "+versionFragText(v.Where)+" is NotFound.")
	}
	return doc(lines...).Line().Type().Id(v.guard).Struct(jen.Id(v.dialect).Add(b.idem("Dialect")))
}

func (b *versionBuilder) constructor() jen.Code {
	dialect := b.table.Local("dialect")
	return doc(b.v.newGuard + " returns the guard that speaks a dialect of SQL.").Line().
		Func().Id(b.v.newGuard).Params(jen.Id(dialect).Add(b.idem("Dialect"))).Id(b.v.guard).
		Block(jen.Return(jen.Id(b.v.guard).Values(jen.Id(b.v.dialect).Op(":").Id(dialect))))
}

// versionCall holds the names of one function. The user's parameters keep theirs;
// what generated code adds steps aside.
type versionCall struct {
	b      *versionBuilder
	used   names.Set
	params []versionParam
}

type versionParam struct {
	name string
	typ  model.Code
}

// call starts a function whose SQL has these parameters, and names them.
func (b *versionBuilder) call(params []model.SQLParam, body ...string) (*versionCall, []string) {
	c := &versionCall{b: b, used: names.NewSet(body)}
	list := make([]string, len(params))
	for i, p := range params {
		if !token.IsKeyword(p.Name) && !c.used.Has(p.Name) {
			list[i] = p.Name
			c.used.Add(p.Name)
		}
	}
	for i, p := range params {
		if list[i] == "" {
			list[i] = c.local(p.Name)
		}
	}
	return c, list
}

func (c *versionCall) local(want string) string {
	name := c.b.table.Local(want, c.used)
	c.used.Add(name)
	return name
}

// add declares a parameter that is an argument of the SQL.
func (c *versionCall) add(name string, typ model.Code) jen.Code {
	c.params = append(c.params, versionParam{name, typ})
	return jen.Id(name)
}

// signature are the parameters behind ctx and db: neighbours of one type share it.
func (c *versionCall) signature(before ...jen.Code) []jen.Code {
	list := before
	for i, p := range c.params {
		if i+1 < len(c.params) && names.Same(p.typ, c.params[i+1].typ) {
			list = append(list, jen.Id(p.name))
			continue
		}
		list = append(list, jen.Id(p.name).Add(c.b.code(p.typ)))
	}
	return list
}
