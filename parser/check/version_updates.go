package check

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/sqlfrag"
)

// updates checks the predicate of the struct and each update.
func (v *versioned) updates() {
	args := v.g.version
	decls := v.paramDecls(v.g, args.Params, v.fault)
	row := &updateScope{versioned: v, sql: &sqlScope{checker: v.checker, g: v.g, report: v.fault, decls: decls, names: new([]string), taken: takenByVersion}}
	if args.Where.Set {
		v.model.Where = row.predicate(args.Where.V)
	}
	v.model.Params = row.sql.params
	if !v.g.faulty {
		v.misdeclared(decls)
		row.sql.unused(decls)
	}
	for i, u := range v.g.updates {
		first := slices.IndexFunc(v.g.updates[:i], func(o update) bool { return o.Name.Text == u.Name.Text })
		if first >= 0 && u.Name.Text != "" {
			v.fault(diag.New(diag.CodeUpdateTwice, u.Name.Pos, "update %s of %s is given twice", u.Name.Text, v.model.Name).
				WithRelated(v.g.updates[first].Name.Pos, "it is here first"))
			continue
		}
		v.update(u, row)
	}
}

// misdeclared reports parameters that the struct declares and an update names.
func (v *versioned) misdeclared(decls []*paramDecl) {
	for _, d := range decls {
		for _, u := range v.g.updates {
			tokens := slices.Clone(u.Where.V.Tokens)
			for _, a := range u.Set.Assignments {
				tokens = append(tokens, a.Expr...)
			}
			i := slices.IndexFunc(tokens, func(t directive.SQLToken) bool { return t.Kind == sqlfrag.Param && t.Text == d.name.Text })
			if d.used || i < 0 {
				continue
			}
			d.used = true
			v.fault(diag.New(diag.CodeParamUnused, d.name.Pos, "parameter %s is declared, but the version's where= does not name :%s", d.name.Text, d.name.Text).
				WithRelated(tokens[i].Pos, "update %s does", u.Name.Text).
				WithHint("params= beside table= is for the where= beside it; declare the parameter on the update, or leave it out where a field has its type"))
		}
	}
}

// takenByVersion says what a parameter's name stands for already, or "".
func takenByVersion(name string) string {
	if name == "version" {
		return "version is the expected version of the row, which every update compares anyway"
	}
	return ""
}

// update checks one update and adds it to the model.
func (v *versioned) update(u update, row *updateScope) {
	own := v.paramDecls(v.g, u.Params, v.fault)
	for _, d := range own {
		if i := slices.IndexFunc(row.sql.params, func(p model.SQLParam) bool { return p.Name == d.name.Text }); i >= 0 {
			v.fault(diag.New(diag.CodeContradiction, d.name.Pos, "parameter %s belongs to the version's where= and has its type from there", d.name.Text).
				WithRelated(row.sql.params[i].Pos, "it is here first"))
			d.used = true
		}
	}
	s := &updateScope{versioned: v, sql: row.sql.fork()}
	s.sql.decls, s.sql.names = own, new([]string)
	out := &model.Update{Pos: u.pos, Name: u.Name.Text}
	for i, a := range u.Set.Assignments {
		if v.assignable(a.Column, u.Set.Assignments[:i]) {
			out.Set = append(out.Set, s.assignment(a, u.Set.Assignments[:i]))
		}
	}
	for _, n := range u.Set.Columns {
		if c, ok := v.written(n); ok {
			out.Columns = append(out.Columns, c)
		}
	}
	if u.Where.Set {
		out.Where = s.predicate(u.Where.V)
	}
	out.Params = s.sql.params
	if !v.g.faulty {
		s.sql.unused(own)
	}
	v.model.Updates = append(v.model.Updates, out)
}

// assignable checks the column of an assignment: a field has it, it is not guarded,
// and nothing assigned it before.
func (v *versioned) assignable(n directive.Name, before []directive.Assignment) bool {
	if v.guarded(n) {
		return false
	}
	if i := slices.IndexFunc(before, func(a directive.Assignment) bool { return strings.EqualFold(a.Column.Text, n.Text) }); i >= 0 {
		v.fault(diag.New(diag.CodeColumnTwice, n.Pos, "column %s is set twice", n.Text).
			WithRelated(before[i].Column.Pos, "it is here first"))
		return false
	}
	if v.columns.fold(n.Text) == nil {
		v.fault(v.unknownColumn(n, "column"))
		return false
	}
	return true
}

// guarded refuses the key and version columns in set=, and those that a state machine
// of the package guards.
func (v *versioned) guarded(n directive.Name) bool {
	args := v.g.version
	if args.Column.Set && strings.EqualFold(n.Text, args.Column.V) {
		v.fault(diag.New(diag.CodeColumnGuarded, n.Pos, "version column %s can't be set: every update counts it up", n.Text).
			WithRelated(args.Column.Pos, "column= is here"))
		return true
	}
	for _, k := range args.Key.Elems {
		if strings.EqualFold(n.Text, k.Text) {
			v.fault(diag.New(diag.CodeColumnGuarded, n.Pos, "key column %s can't be set: it says which row it is", n.Text).
				WithRelated(k.Pos, "key= is here"))
			return true
		}
	}
	for _, m := range v.machines {
		table, column := m.g.machine.Table, m.g.machine.Column
		if column.Set && strings.EqualFold(table.V, args.Table.V) && strings.EqualFold(column.V, n.Text) {
			v.fault(diag.New(diag.CodeColumnGuarded, n.Pos, "column %s can't be set: state machine %s guards it", n.Text, m.name).
				WithRelated(column.Pos, "column= of %s is here", m.name).WithHint("the state changes by events alone"))
			return true
		}
	}
	return false
}

// written checks a column whose value comes from the struct.
func (v *versioned) written(n directive.Name) (model.Column, bool) {
	if v.guarded(n) {
		return model.Column{}, false
	}
	f, ok := v.field(n, "column")
	if !ok {
		return model.Column{}, false
	}
	if f.encoded || f.nullzero || !isSQLType(f.typ) {
		why := "no driver takes it as it is"
		switch {
		case f.nullzero:
			why = "bun writes NULL for its zero value, which this update would not"
		case f.encoded:
			why = "the library writes it in a form of its own"
		}
		v.fault(diag.New(diag.CodeFieldType, n.Pos, "column %s can't be written from the struct: field %s is %s, and %s", n.Text, f.path, v.typeText(f.typ), why).
			WithRelated(v.p.Pos(f.pos), "field %s is here", f.path).
			WithHint("give the field a type with a Value method (driver.Valuer), or pass the value as a parameter: set=\"%s = :value\"", n.Text))
		return model.Column{}, false
	}
	return v.column(n, f)
}

// assignment converts one assignment. Its expression sees old values only.
func (s *updateScope) assignment(a directive.Assignment, before []directive.Assignment) model.Assign {
	s.expr(a.Expr, s.columns.fold(a.Column.Text))
	for _, t := range columnTokens(a.Expr) {
		if i := slices.IndexFunc(before, func(b directive.Assignment) bool { return strings.EqualFold(b.Column.Text, t.Text) }); i >= 0 {
			s.fault(diag.New(diag.CodeReadsAssigned, t.Pos, "%s reads %s, which is assigned before", a.Column.Text, t.Text).
				WithRelated(before[i].Column.Pos, "it is assigned here").
				WithHint("MySQL would see the new value, other databases the old one: write this assignment first"))
		}
	}
	return s.sql.assign(a)
}

// columnTokens are the tokens that may be columns; Text is the name without its table.
func columnTokens(tokens []directive.SQLToken) []directive.SQLToken {
	var out []directive.SQLToken
	for _, c := range sqlfrag.Columns(directive.Scanned(tokens)) {
		i := slices.IndexFunc(tokens, func(t directive.SQLToken) bool { return t.Off == c.Off })
		out = append(out, directive.SQLToken{Token: c, Pos: tokens[i].Pos})
	}
	return out
}
