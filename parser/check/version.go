package check

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// versioned is one //idem:version on its way into the model: the columns of the
// struct first, then key and version, then what each update writes.
type versioned struct {
	*checker
	g       *group
	columns *columns
	model   *model.Version
	bad     bool // an error was reported
}

// update is one //idem:update and where it stands.
type update struct {
	*directive.Update
	pos model.Pos
}

// allVersions checks the versioned structs of the package.
func (c *checker) allVersions() {
	for _, g := range c.groups {
		switch {
		case g.version != nil:
			v := &versioned{checker: c, g: g}
			if v.check(); !v.bad && !g.faulty {
				c.versions = append(c.versions, v.model)
			}
		case len(g.updates) > 0 && !g.faulty:
			c.fail(diag.New(diag.CodeLooseUpdate, g.updates[0].pos, "//idem:update without a //idem:version on the same struct").
				WithHint("write both in one doc comment"))
		}
	}
}

// fault reports an error of this struct.
func (v *versioned) fault(d diag.Diagnostic) {
	if !d.Warning {
		v.bad = true
	}
	v.fail(d)
}

func (v *versioned) check() {
	args := v.g.version
	v.model = &model.Version{Pos: v.g.versionPos, Table: strings.Split(args.Table.V, ".")}
	if !v.subject() {
		return
	}
	v.keys()
	v.versionColumn()
	if len(v.g.updates) == 0 && !v.g.faulty {
		v.fault(diag.New(diag.CodeNoUpdates, v.g.versionPos, "version %s has no updates", v.model.Name).
			WithHint("add //idem:update Name set=… to the same doc comment"))
	}
	v.updates()
}

// subject settles the struct and reads its columns.
func (v *versioned) subject() bool {
	ts, ok := v.g.target.Spec.(*ast.TypeSpec)
	if !ok {
		return false
	}
	at := v.p.Pos(ts.Name.Pos())
	obj, ok := v.p.Info.Defs[ts.Name].(*types.TypeName)
	if !ok {
		v.fault(diag.New(diag.CodeVersionStruct, at, "struct %s can't be resolved", ts.Name.Name))
		return false
	}
	if v.model.Name = obj.Name(); v.g.version.Name.Set {
		v.model.Name = v.g.version.Name.V
	}
	v.model.Type = model.Text(obj.Name())
	s, ok := obj.Type().Underlying().(*types.Struct)
	switch {
	case ts.TypeParams != nil:
		v.fault(diag.New(diag.CodeVersionStruct, at, "generic struct %s can't be versioned", obj.Name()).
			WithHint("annotate a struct without type parameters that embeds what is shared"))
		return false
	case !ok:
		v.fault(diag.New(diag.CodeVersionStruct, at, "struct %s can't be resolved", obj.Name()))
		return false
	}
	v.columns = columnsOf(s)
	return true
}

// keys settles the columns that select the row.
func (v *versioned) keys() {
	for _, k := range v.g.version.Key.Elems {
		f, ok := v.field(k, "key column")
		if !ok {
			continue
		}
		switch c, ok := v.column(k, f); {
		case !ok:
		case !isColumnType(f.typ):
			v.fault(diag.New(diag.CodeFieldType, k.Pos, "key column %s can't select a row: field %s is %s", k.Text, f.path, v.typeText(f.typ)).
				WithRelated(v.p.Pos(f.pos), "field %s is here", f.path).
				WithHint("a key is a string, a slice of bytes, an integer, a bool, or a driver.Valuer (uuid.UUID is one)"))
		default:
			v.model.Key = append(v.model.Key, c)
		}
	}
}

// versionColumn settles the column that is compared and counted up (V2).
func (v *versioned) versionColumn() {
	arg := v.g.version.Column
	if !arg.Set {
		return
	}
	name := directive.Name{Text: arg.V, Pos: arg.Pos}
	f, ok := v.field(name, "version column")
	if !ok {
		return
	}
	if why := notAVersion(f.typ); why != "" {
		v.fault(diag.New(diag.CodeVersionType, arg.Pos, "version column %s can't count versions: field %s is %s, %s", arg.V, f.path, v.typeText(f.typ), why).
			WithRelated(v.p.Pos(f.pos), "field %s is here", f.path).
			WithHint("use an int64, and a 64-bit integer column that is NOT NULL"))
		return
	}
	if c, ok := v.column(name, f); ok {
		v.model.Column = c
	}
}

// notAVersion says why a type can't hold a version, or "".
func notAVersion(t types.Type) string {
	b, basic := t.Underlying().(*types.Basic)
	switch {
	case isNamed(t, "time", "Time"):
		return "and two updates can have the same time"
	case basic && (b.Kind() == types.Int64 || b.Kind() == types.Uint64):
		return ""
	case basic && (b.Kind() == types.Int || b.Kind() == types.Uint || b.Kind() == types.Uintptr):
		return "which has 32 bits on some platforms"
	case basic && b.Info()&types.IsInteger != 0:
		return "which runs over"
	}
	if _, pointer := t.Underlying().(*types.Pointer); pointer || strings.HasPrefix(typeText(t, nil), "sql.Null") {
		return "which can be NULL, and NULL equals no expected version"
	}
	return "which is no integer"
}

// field finds the field of a column that a directive names.
func (v *versioned) field(n directive.Name, what string) (*columnField, bool) {
	f, other := v.columns.find(n.Text)
	switch {
	case f == nil && !v.columns.tagged:
		v.fault(v.untagged(n, what))
	case f == nil:
		v.fault(v.unknownColumn(n, what))
	case other != nil:
		v.fault(diag.New(diag.CodeColumnAmbiguous, n.Pos, "%s %s: fields %s and %s both have it", what, n.Text, f.path, other.path).
			WithRelated(v.p.Pos(f.pos), "%s is here", f.path).WithRelated(v.p.Pos(other.pos), "%s is here", other.path))
	case f.conflict != "":
		v.fault(diag.New(diag.CodeColumnAmbiguous, n.Pos, "%s %s: the tags of field %s also name column %s", what, n.Text, f.path, f.conflict).
			WithRelated(v.p.Pos(f.pos), "%s is here", f.path))
	case unresolved(f.typ):
		v.fault(diag.New(diag.CodeTypeUnresolved, n.Pos, "%s %s: the type of field %s can't be resolved", what, n.Text, f.path).
			WithRelated(v.p.Pos(f.pos), "%s is here", f.path))
	default:
		return f, true
	}
	return nil, false
}

func (v *versioned) untagged(n directive.Name, what string) diag.Diagnostic {
	return diag.New(diag.CodeNoColumnTags, n.Pos, "%s %s: no field of %s has a db, gorm or bun tag", what, n.Text, v.model.Type[0].Text).
		WithHint("say which field is the column: `db:%q`", n.Text)
}

func (v *versioned) unknownColumn(n directive.Name, what string) diag.Diagnostic {
	if !v.columns.tagged {
		return v.untagged(n, what)
	}
	return diag.New(diag.CodeUnknownColumn, n.Pos, "%s %s: no field of %s has it", what, n.Text, v.model.Type[0].Text).
		WithHint("its columns are %s", strings.Join(v.columns.names(), ", ")).
		WithSuggestion(n.Text, v.columns.names())
}

// column makes the model of a column whose value generated code reads from the struct.
func (v *versioned) column(n directive.Name, f *columnField) (model.Column, bool) {
	d := diag.New(diag.CodeFieldType, n.Pos, "column %s can't be read from the struct", n.Text).
		WithRelated(v.p.Pos(f.pos), "field %s is here", f.path)
	if f.pointer != "" {
		d.Message += ": " + f.pointer + " is embedded by a pointer, which can be nil"
		v.fault(d)
		return model.Column{}, false
	}
	if hidden := f.hidden(v.p.Types); hidden != "" {
		d.Message += ": " + hidden + " is not exported by its package"
		v.fault(d)
		return model.Column{}, false
	}
	code, ok := v.typeCode(f.typ)
	if !ok {
		d.Message += ": its type " + v.typeText(f.typ) + " can't be named here"
		v.fault(d)
		return model.Column{}, false
	}
	return model.Column{Name: f.name, Field: f.path, Type: code, Kind: kindOf(f.typ)}, true
}
