package check

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/sqlfrag"
)

// guards adds to a machine whose states and events are known what its SQL says
// beyond them: predicates, further columns, version, fence and history.
func (m *machine) guards() {
	out, args := m.model, m.g.machine
	out.Version, out.Fence = args.Version.V, args.Fence.V
	if args.History.Set {
		out.History = strings.Split(args.History.V, ".")
	}
	out.Tests = args.Tests.V == "true"

	decls := m.paramDecls(m.g, args.Params, m.fault)
	row := &sqlScope{checker: m.checker, g: m.g, report: m.fault, decls: decls, taken: m.takenParam, constant: m.find, names: new([]string)}
	if args.Where.Set {
		out.Where = row.frag(args.Where.V.Tokens)
		m.readsChanged()
		m.same(out, row)
	}
	out.Params = row.params
	m.creation(out, row.fork())
	every := row.fork()
	a := assigner{machine: m, scope: every}
	set := a.all(args.Set.V.List)
	m.eventGuards(out, every, set, a.done)
	if !m.g.faulty {
		every.unused(decls)
	}
}

// takenParam says what a parameter's name stands for already, or "".
func (m *machine) takenParam(name string) string {
	switch {
	case name == "version" && m.g.machine.Version.Set:
		return "version is the expected version of the row"
	case name == "fence" && m.g.machine.Fence.Set:
		return "fence is the fence of the lock"
	}
	return ""
}

// readsChanged refuses a where= of the machine that reads a column which events
// change: the row would be another's once an event was applied (S2).
func (m *machine) readsChanged() {
	tokens := m.g.machine.Where.V.Tokens
	at := map[int]model.Pos{}
	for _, t := range tokens {
		at[t.Off] = t.Pos
	}
	for _, c := range sqlfrag.Columns(directive.Scanned(tokens)) {
		if role, pos := m.g.machine.ColumnRole(c.Text); role != "" && role != "key" {
			m.fault(diag.New(diag.CodeWhereReads, at[c.Off], "where= of a machine can't read %s: its events change that, and the row would not be found any more", c.Text).
				WithRelated(pos, "%s= is here", role).
				WithHint("put the condition into where= of the transitions that it is for"))
		}
	}
}

// same finds what where= says of a row by equality: a new row is given it.
func (m *machine) same(out *model.Machine, row *sqlScope) {
	tokens := m.g.machine.Where.V.Tokens
	// To the reader of equalities a constant or literal is as good as a parameter.
	as := directive.Scanned(tokens)
	origin := map[string]directive.SQLToken{}
	for i, t := range as {
		switch t.Kind {
		case sqlfrag.Param, sqlfrag.Const, sqlfrag.Text, sqlfrag.Number:
			name := t.Text + "\x00" + string(rune('0'+t.Kind))
			origin[name] = tokens[i]
			as[i].Kind, as[i].Text = sqlfrag.Param, name
		}
	}
	seen := map[string]bool{}
	for _, eq := range sqlfrag.Equalities(as) {
		column := strings.ToLower(eq.Column)
		if role, _ := m.g.machine.ColumnRole(eq.Column); role != "" || seen[column] {
			continue
		}
		seen[column] = true
		t := origin[eq.Param]
		out.Same = append(out.Same, model.Assign{Pos: t.Pos, Column: eq.Column, Expr: row.fork().frag([]directive.SQLToken{t})})
	}
}

// creation checks create=: no column twice, and nothing that only an old row has.
func (m *machine) creation(out *model.Machine, scope *sqlScope) {
	a := assigner{machine: m, scope: scope, create: true}
	for _, s := range out.Same {
		a.done = append(a.done, assigned{s.Column, s.Pos, "where= gives it to every new row"})
	}
	out.Create = a.all(m.g.machine.Create.V.List)
	out.CreateParams = scope.params
}
