package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
migrations, and add your columns.

With -from it prints what leads from an older file of this command to the present
source. No statement drops a table, a column or a row, and one that meets a row in
a state that is no state any more fails and changes nothing. Where nothing is to be
done, nothing is printed or written.

A migration tool runs the file as it is: golang-migrate as 0001_guards.up.sql,
Atlas as a file of a versioned folder, goose with -goose.`,
	flags:   []string{"dialect", "from", "enum", "alter", "goose", "o"},
	formats: []format{formatText, formatGitHub},
	flagHelp: `  -dialect name   sqlite, postgres or mysql (MariaDB, too); with -from, that of the file
  -from file      print the migration from what this older file led to
  -enum           hold text states in an ENUM, not in text with a CHECK (Postgres, MySQL);
                  with -from as in the older file, -enum=false takes it back
  -alter          add the columns to tables that exist, instead of making the tables
  -goose          write goose's annotations
  -o file         write to file, which must be new or of this command
`,
}

// schemaOptions are the flags of the schema command.
type schemaOptions struct {
	dialect string
	from    string
	enum    bool
	alter   bool
	goose   bool
}

func (o *schemaOptions) flags(fs *flag.FlagSet) {
	fs.StringVar(&o.dialect, "dialect", "", "")
	fs.StringVar(&o.from, "from", "", "")
	fs.BoolVar(&o.enum, "enum", false, "")
	fs.BoolVar(&o.alter, "alter", false, "")
	fs.BoolVar(&o.goose, "goose", false, "")
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
		return a.fail(fmt.Errorf("%w\nRun 'idemgen help schema' for usage.", err))
	}
	pkgs, diags := a.models(ctx, opts)
	if ctx.Err() != nil {
		return a.fail(errors.New("interrupted; nothing was written"))
	}
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

// oldSchema is what a file of -from led to.
type oldSchema struct {
	dialect sqltext.Dialect
	schema  schema.Schema
	form    schema.Options
}

// oldSchema reads the file of -from; nil without it.
func (a *app) oldSchema(opts *options) (*oldSchema, error) {
	if !opts.given["from"] {
		return nil, nil
	}
	path := opts.schema.from
	if !filepath.IsAbs(path) {
		path = filepath.Join(opts.dir, path)
	}
	if opts.output != "" && sameFile(path, a.outputPath(opts)) {
		return nil, fmt.Errorf("-from and -o name one file, %s: the older schema would be lost", opts.output)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err
		}
		return nil, fmt.Errorf("-from %s: %w", opts.schema.from, err)
	}
	var old oldSchema
	if old.dialect, old.schema, old.form, err = schema.Read(string(data)); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", a.rel(path), schemaLine(string(data)), err)
	}
	return &old, nil
}

// schemaLine is the line of a file that says what it was made from; 1 without it.
func schemaLine(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if n++; strings.HasPrefix(line, "-- idemgen:schema ") {
			return n
		}
	}
	return 1
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return a == b || errX == nil && errY == nil && os.SameFile(x, y)
}

// schemaForm is the dialect and the form that the flags ask for; what they leave
// open is as in the older file.
func schemaForm(opts *options, old *oldSchema) (dialect sqltext.Dialect, form schema.Options, err error) {
	s := opts.schema
	if old != nil {
		dialect, form = old.dialect, old.form
	}
	if s.dialect != "" || old == nil {
		i := slices.IndexFunc(sqltext.Dialects[:], func(d sqltext.Dialect) bool { return d.String() == s.dialect })
		switch {
		case s.dialect == "":
			return 0, form, errors.New("schema needs -dialect=sqlite, postgres or mysql")
		case i < 0:
			return 0, form, fmt.Errorf("invalid value %q for flag -dialect: sqlite, postgres or mysql", s.dialect)
		}
		dialect = sqltext.Dialects[i]
	}
	if old != nil && old.dialect != dialect {
		return 0, form, fmt.Errorf("-dialect=%s, and %s is of %s", dialect, s.from, old.dialect)
	}
	if opts.given["enum"] {
		form.Enum = s.enum
	}
	if opts.given["alter"] {
		form.Alter = s.alter
	}
	if form.Enum && dialect == sqltext.SQLite {
		return 0, form, errors.New("-enum: sqlite has no ENUM")
	}
	return dialect, form, nil
}

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
