package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/templates/schema"
	"github.com/idemgen/idemgen/templates/sqltext"
)

var schemaCommand = &command{
	name: "schema", args: "[packages] -dialect=NAME", packages: true, run: (*app).schema,
	summary: "print the DDL that guards need, or the migration from an older one",
	about: `Schema prints the DDL of the tables that the state machines and versions of the
packages guard: state columns that hold states only, version and fence columns,
history tables. Guarded tables are yours: take the statements into your own
migrations, and add your columns. What stands in test files is left out.

With -from it prints what leads from an older file of this command to the present
source. No statement drops a table, a column or a row, and one that meets a row in
a state that is no state any more fails and changes nothing. Where nothing is to be
done, nothing is printed or written.

A migration tool runs the file as it is: golang-migrate as 0001_guards.up.sql,
Atlas as a file of a versioned folder, goose with -goose. On MySQL golang-migrate
sends a file in one piece: a *sql.DB that it is given needs multiStatements=true in
its DSN, a URL does not.`,
	examples: `  idemgen schema -dialect=postgres ./...
  idemgen schema -dialect=mysql -o=0001_guards.up.sql ./...
  idemgen schema -from=0001_guards.up.sql -o=0002_guards.up.sql ./...
`,
	flags:   []string{"dialect", "from", "enum", "alter", "goose", "o"},
	formats: []format{formatText, formatGitHub},
	flagHelp: `  -dialect name   sqlite, postgres or mysql (MariaDB, too); with -from, that of the file
  -from file      print the migration from what this older file led to
  -enum           hold text states in an ENUM, not in text with a CHECK (Postgres, MySQL);
                  with -from as in the older file, -enum=false takes it back
  -alter          add the columns to tables that exist, instead of making the tables
  -goose          write goose's annotations
  -o file         write to this file, which must be new or of this command
  -format form    how diagnostics are printed: text (default) or github
`,
}

// schemaMark begins the first line of every file that the schema command writes.
const schemaMark = "-- DDL for generated guards. Made by idemgen"

// schema prints or writes the DDL of the packages.
func (a *app) schema(ctx context.Context, opts *options) int {
	old, err := a.oldSchema(opts)
	if err != nil {
		return a.fail(err)
	}
	dialect, form, err := schemaForm(opts, old)
	if err != nil {
		return a.misused(err, "idemgen help schema")
	}
	pkgs, diags := a.models(ctx, opts)
	if ctx.Err() != nil {
		return a.fail(errors.New("interrupted; nothing was written"))
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *model.Package) bool { return p.Output == model.OutputTestFile })
	if !diag.HasErrors(diags) && old == nil && !slices.ContainsFunc(pkgs, guards) {
		return a.fail(fmt.Errorf("nothing in %s is guarded: there is no //idem:statemachine and no //idem:version", strings.Join(opts.patterns, " ")))
	}
	var script schema.Script
	if !diag.HasErrors(diags) {
		var more []diag.Diagnostic
		script, more = schemaScript(pkgs, dialect, form, old)
		absolute(opts.dir, more)
		diags = append(diags, more...)
	}
	if diag.HasErrors(diags) {
		a.report(opts.format, diags)
		return exitCode(diags)
	}
	if old != nil && len(script.Statements) == 0 {
		for _, n := range script.Notes {
			a.note("%s", n)
		}
		a.note("nothing to migrate from %s", opts.schema.from)
		return exitOK
	}
	text := script.Text()
	if opts.schema.goose {
		if text, err = gooseText(script); err != nil {
			return a.fail(err)
		}
	}
	if opts.output == "" {
		io.WriteString(a.stdout, text)
	} else {
		diags = append(diags, a.put(opts, []placed{{path: a.outputPath(opts), content: text, mark: schemaMark}})...)
	}
	a.report(opts.format, diags)
	return exitCode(diags)
}

// guards tells whether a package has anything that needs a table.
func guards(p *model.Package) bool { return len(p.Machines) > 0 || len(p.Versions) > 0 }

// schemaScript is the DDL, or what contradicts itself or can't be migrated, at the
// directive that asks for it.
func schemaScript(pkgs []*model.Package, d sqltext.Dialect, form schema.Options, old *oldSchema) (schema.Script, []diag.Diagnostic) {
	now, err := schema.Of(pkgs...)
	if err != nil {
		pos, msg := placeOf(pkgs, err)
		return schema.Script{}, []diag.Diagnostic{diag.New(diag.CodeContradiction, pos, "%s", msg)}
	}
	if old == nil {
		return schema.Create(d, now, form), nil
	}
	script, err := schema.Migrate(d, old.schema, now, old.form, form)
	if err != nil {
		return schema.Script{}, []diag.Diagnostic{diag.New(diag.CodeContradiction, culprit(pkgs, d, form, old, err), "%v", err)}
	}
	return script, nil
}

// placeOf splits the position off an error of schema.Of.
func placeOf(pkgs []*model.Package, err error) (model.Pos, string) {
	for pos := range needs(pkgs) {
		if msg, ok := strings.CutPrefix(err.Error(), fmt.Sprintf("%s:%d:%d: ", pos.File, pos.Line, pos.Col)); ok {
			return pos, msg
		}
	}
	return model.Pos{}, err.Error()
}

// culprit is the directive that alone fails to migrate in the same way.
func culprit(pkgs []*model.Package, d sqltext.Dialect, form schema.Options, old *oldSchema, failed error) model.Pos {
	for pos, alone := range needs(pkgs) {
		now, err := schema.Of(alone)
		if err != nil {
			continue
		}
		if _, err := schema.Migrate(d, old.schema, now, old.form, form); err != nil && err.Error() == failed.Error() {
			return pos
		}
	}
	return model.Pos{}
}

// needs yields each machine and version as a package of its own, with its place.
func needs(pkgs []*model.Package) func(yield func(model.Pos, *model.Package) bool) {
	return func(yield func(model.Pos, *model.Package) bool) {
		for _, p := range pkgs {
			for _, m := range p.Machines {
				if !yield(m.Pos, &model.Package{Machines: []*model.Machine{m}}) {
					return
				}
			}
			for _, v := range p.Versions {
				if !yield(v.Pos, &model.Package{Versions: []*model.Version{v}}) {
					return
				}
			}
		}
	}
}
