package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// row is the row that the version guards, for statements with these parameters.
func (b *versionBuilder) row(given []model.SQLParam) sqltext.Versioned {
	r := sqltext.Versioned{Table: b.v.Table, Version: b.v.Column.Name, Where: b.v.Where, Given: given}
	for _, k := range b.v.Key {
		r.Key = append(r.Key, k.Name)
	}
	return r
}

// info declares the version as data.
func (b *versionBuilder) info() jen.Code {
	v := b.v
	fields := []jen.Code{
		field("Name", lit(v.Name)),
		field("Table", lit(strings.Join(v.Table, "."))),
	}
	for _, u := range v.Updates {
		if len(u.Where) == 0 {
			fields = append(fields, field("Select", b.statement(b.row(v.Params).Select())))
			break
		}
	}
	return doc(v.data + " is the version " + v.Name + " in the column " + v.Column.Name + " of " + strings.Join(v.Table, ".") + ".").Line().
		Var().Id(v.data).Op("=").Add(b.idem("VersionInfo")).Add(rows(fields...))
}

// updateInfo declares one update as data.
func (b *versionBuilder) updateInfo(i int, u *model.Update) jen.Code {
	up := sqltext.VersionUpdate{Set: u.Set, Params: len(u.Params), Where: u.Where}
	for _, c := range u.Columns {
		up.Columns = append(up.Columns, c.Name)
	}
	fields := []jen.Code{
		field("Name", lit(u.Name)),
		field("Update", b.statement(b.row(u.Params).Update(up))),
	}
	if len(u.Where) > 0 {
		fields = append(fields, field("Check", b.statement(b.row(u.Params).Check(u.Where))))
	}
	return doc(b.v.updates[i] + " is the update " + u.Name + " of " + b.v.Name + ".").Line().
		Var().Id(b.v.updates[i]).Op("=").Add(b.idem("UpdateInfo")).Add(rows(fields...))
}

// statement writes one idem.VersionSQL.
func (b *versionBuilder) statement(s sqltext.VersionStatement) *jen.Statement {
	var args []jen.Code
	for _, n := range s.Args {
		args = append(args, jen.Lit(n))
	}
	return b.idem("VersionSQL").Add(rows(
		field("SQLite", lit(s.SQLite)),
		field("Postgres", lit(s.Postgres)),
		field("MySQL", lit(s.MySQL)),
		field("Args", jen.Index().Int().Values(args...)),
	))
}

// update declares the function of one update: over the key and the parameters, or
// over the struct where its columns are written.
func (b *versionBuilder) update(i int, u *model.Update) jen.Code {
	v := b.v
	vtype := b.table.Code(v.Column.Type)
	body := []string{v.data, v.updates[i]}
	if vtype != "int64" {
		body = append(body, "int64", vtype)
	}
	c, params := b.call(u.Params, body...)
	g, ctx, db := c.local("g"), c.local("ctx"), c.local("db")
	front := []jen.Code{jen.Id(ctx).Add(b.ctxType()), jen.Id(db).Add(b.idem("DB"))}

	var version jen.Code
	var keys, columns []jen.Code
	subject := ""
	if len(u.Columns) > 0 {
		subject = c.local(strings.ToLower(names.Lower(v.Name)[:1]))
		front = append(front, jen.Id(subject).Op("*").Add(b.code(v.Type)))
		of := func(col model.Column) jen.Code { return jen.Id(subject).Dot(col.Field) }
		version = of(v.Column)
		for _, k := range v.Key {
			keys = append(keys, of(k))
		}
		for _, col := range u.Columns {
			columns = append(columns, of(col))
		}
	} else {
		for _, k := range v.Key {
			keys = append(keys, c.add(c.local(names.Lower(k.Field[strings.LastIndexByte(k.Field, '.')+1:])), k.Type))
		}
		version = c.add(c.local("version"), v.Column.Type)
	}
	args := keys
	for n, p := range u.Params {
		args = append(args, c.add(params[n], p.Type))
	}
	args = append(args, columns...)
	if vtype != "int64" {
		version = jen.Int64().Call(version)
	}
	call := b.idem("UpdateVersion").Call(append([]jen.Code{
		jen.Id(ctx), jen.Id(db), jen.Id(g).Dot(v.dialect), jen.Op("&").Id(v.data), jen.Op("&").Id(v.updates[i]), version,
	}, args...)...)
	block := []jen.Code{jen.Return(call)}
	if vtype != "int64" {
		now, err := c.local("now"), c.local("err")
		block = []jen.Code{
			jen.List(jen.Id(now), jen.Id(err)).Op(":=").Add(call),
			jen.Return(b.code(v.Column.Type).Call(jen.Id(now)), jen.Id(err)),
		}
	}
	if subject != "" {
		block = append([]jen.Code{jen.If(jen.Id(subject).Op("==").Nil()).Block(
			jen.Return(jen.Lit(0), b.idem("NilStruct").Call(jen.Op("&").Id(v.data), jen.Op("&").Id(v.updates[i]))),
		)}, block...)
	}
	return doc(b.updateDoc(u, subject)...).Line().
		Func().Params(jen.Id(g).Id(v.guard)).Id(u.Name).Params(c.signature(front...)...).
		Params(b.code(v.Column.Type), jen.Error()).Block(block...)
}

// updateDoc says what an update does.
func (b *versionBuilder) updateDoc(u *model.Update, subject string) []string {
	var keys, sets []string
	for _, k := range b.v.Key {
		keys = append(keys, k.Name)
	}
	for _, a := range u.Set {
		sets = append(sets, a.Column+" = "+versionFragText(a.Expr))
	}
	for _, c := range u.Columns {
		sets = append(sets, c.Name)
	}
	var first string
	if subject == "" {
		first = u.Name + " sets " + strings.Join(sets, ", ") + " on the row with the given " + andList(append(keys, "version")) + ", and returns the new version."
	} else {
		first = u.Name + " writes " + andList(sets) + " of " + subject + " to its row, where that still has " + subject + "'s " + b.v.Column.Name + ", and returns the new version; " + subject + " stays as it is."
	}
	lines := []string{first}
	if len(u.Where) > 0 {
		lines = append(lines, "Where "+versionFragText(u.Where)+" does not hold nothing is written: idem.ErrGuardFailed.")
	}
	return lines
}

// versionFragText is a fragment as people read it: parameters as written, constants by their names.
func versionFragText(f model.Frag) string {
	var b strings.Builder
	for _, t := range f {
		switch t.Kind {
		case model.FragName:
			b.WriteString(`"` + t.Text + `"`)
		case model.FragParam:
			b.WriteString(":" + t.Text)
		case model.FragText:
			b.WriteString("'" + strings.ReplaceAll(t.Text, "'", "''") + "'")
		default:
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func andList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
