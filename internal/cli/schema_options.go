package cli

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/templates/schema"
	"github.com/idemgen/idemgen/templates/sqltext"
)

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
