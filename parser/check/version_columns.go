package check

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// columns are the columns of a struct as its tags, or the naming of gorm or bun,
// have them.
type columns struct {
	list   []columnField
	tagged bool                // some field has a db, gorm or bun tag
	naming func(string) string // of fields without a tag; nil: they are no columns
}

// columnField is one column.
type columnField struct {
	name     string
	path     string // Version, or Base.Version through embedded structs
	depth    int
	typ      types.Type
	pos      token.Pos
	pointer  string       // an embedded pointer on the way, or ""
	vars     []*types.Var // the fields on the way, this one last
	conflict string       // another column that its tags name, or ""
	encoded  bool         // a library writes another form of the value
	nullzero bool         // bun writes NULL for the zero value, which is none
}

// columnsOf reads the columns of a struct.
func columnsOf(s *types.Struct) *columns {
	c := &columns{}
	gorm, bun := false, false
	eachTag(s, map[*types.Struct]bool{}, func(tag reflect.StructTag) {
		_, db := tag.Lookup("db")
		_, g := tag.Lookup("gorm")
		_, b := tag.Lookup("bun")
		gorm, bun, c.tagged = gorm || g, bun || b, c.tagged || db || g || b
	})
	switch {
	case gorm:
		c.naming = gormColumn
	case bun:
		c.naming = bunColumn
	}
	c.walk(s, columnField{}, "", map[*types.Struct]bool{})
	return c
}

// eachTag visits the tags of a struct and of what it embeds.
func eachTag(s *types.Struct, seen map[*types.Struct]bool, visit func(reflect.StructTag)) {
	if seen[s] {
		return
	}
	seen[s] = true
	for i := range s.NumFields() {
		visit(reflect.StructTag(s.Tag(i)))
		if inner, _ := structOf(s.Field(i).Type()); inner != nil && s.Field(i).Embedded() {
			eachTag(inner, seen, visit)
		}
	}
}

// structOf is the struct that a type is or points to.
func structOf(t types.Type) (s *types.Struct, pointer bool) {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		s, _ = types.Unalias(p.Elem()).Underlying().(*types.Struct)
		return s, true
	}
	s, _ = types.Unalias(t).Underlying().(*types.Struct)
	return s, false
}

// walk adds the columns of a struct behind the fields of outer.
func (c *columns) walk(s *types.Struct, outer columnField, prefix string, seen map[*types.Struct]bool) {
	if seen[s] {
		return
	}
	seen[s] = true
	defer delete(seen, s)
	for i := range s.NumFields() {
		v := s.Field(i)
		tag := readTag(reflect.StructTag(s.Tag(i)))
		f := columnField{
			name: tag.column, path: strings.TrimPrefix(outer.path+"."+v.Name(), "."), depth: outer.depth + 1,
			typ: v.Type(), pos: v.Pos(), pointer: outer.pointer, conflict: tag.conflict, encoded: tag.encoded, nullzero: tag.nullzero && !zeroIsNull(v.Type()),
			vars: append(outer.vars[:len(outer.vars):len(outer.vars)], v),
		}
		inner, pointer := structOf(v.Type())
		switch {
		case tag.skip || v.Name() == "_":
		case inner != nil && (tag.embedded || v.Embedded() && tag.column == "" && !isScalar(v.Type())):
			if pointer && f.pointer == "" {
				f.pointer = f.path
			}
			c.walk(inner, f, prefix+tag.prefix, seen)
		case tag.column != "":
			f.name = prefix + f.name
			c.list = append(c.list, f)
		case c.naming != nil && v.Exported() && (tag.encoded || isScalar(v.Type())):
			f.name = prefix + c.naming(v.Name())
			c.list = append(c.list, f)
		}
	}
}

// isScalar tells a type that is one column by itself from a struct to embed and a
// relation to other rows.
func isScalar(t types.Type) bool {
	if isSQLType(t) || unresolved(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		s, _ := structOf(u.Elem())
		return s == nil
	case *types.Map:
		return true
	}
	s, _ := structOf(t)
	return s == nil
}

// find is the field of a column; of several the one that is embedded least deep,
// with another one that is as near, or nil.
func (c *columns) find(name string) (f, other *columnField) {
	for i := range c.list {
		x := &c.list[i]
		switch {
		case x.name != name:
		case f == nil || x.depth < f.depth:
			f, other = x, nil
		case x.depth == f.depth:
			other = x
		}
	}
	return f, other
}

// fold finds the field of a bare word, which databases don't take by its case.
func (c *columns) fold(name string) *columnField {
	if f, _ := c.find(name); f != nil {
		return f
	}
	for i := range c.list {
		if strings.EqualFold(c.list[i].name, name) {
			return &c.list[i]
		}
	}
	return nil
}

// names are the columns in the order of the fields.
func (c *columns) names() []string {
	var out []string
	for _, f := range c.list {
		out = append(out, f.name)
	}
	return out
}

// hidden names a field on the way that another package keeps to itself, or "".
func (f *columnField) hidden(own *types.Package) string {
	for _, v := range f.vars {
		if !v.Exported() && v.Pkg() != own {
			return v.Name()
		}
	}
	return ""
}

// zeroIsNull tells a type whose zero value every driver writes as NULL.
func zeroIsNull(t types.Type) bool {
	if _, pointer := t.Underlying().(*types.Pointer); pointer {
		return true
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "database/sql" && strings.HasPrefix(named.Obj().Name(), "Null")
}
