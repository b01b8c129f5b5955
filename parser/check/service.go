package check

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/load"
)

// service is a wrapped type with its guarded methods so far.
type service struct {
	model *model.Service
	obj   *types.TypeName
	typ   types.Type // with its own type parameters as arguments
}

func whyNotWrapped(obj *types.TypeName) string {
	switch u := obj.Type().Underlying().(type) {
	case *types.Interface:
		if !u.IsMethodSet() {
			return "it is a constraint, not an interface of methods"
		}
	case *types.Basic:
		if u.Kind() == types.Invalid {
			return "its declaration can't be resolved"
		}
	}
	return "it is neither a struct nor an interface"
}

// service returns the wrapped type of an object, made the first time; nil when
// it can't be wrapped.
func (c *checker) service(obj *types.TypeName) *service {
	for _, s := range c.services {
		if s.obj == obj {
			return s
		}
	}
	iface := false
	switch u := obj.Type().Underlying().(type) {
	case *types.Struct:
	case *types.Interface:
		if iface = u.IsMethodSet(); !iface {
			return nil
		}
	default:
		return nil
	}
	s := &service{obj: obj, typ: obj.Type()}
	s.model = &model.Service{Pos: c.p.Pos(obj.Pos()), Name: obj.Name(), Interface: iface}
	if spec, f := c.typeSpec(obj); spec != nil && spec.TypeParams != nil {
		k := coder{p: c.p, file: f}
		s.model.TypeParams = typeParams(k, c.p.Info, spec.TypeParams)
	}
	s.typ = ownInstance(obj.Type())
	s.model.Members = members(s.typ, c.p.Types)
	c.services = append(c.services, s)
	return s
}

// ownInstance is a generic type with its own parameters as arguments, so that
// the signatures of all its methods speak of the same parameters.
func ownInstance(t types.Type) types.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeParams().Len() == 0 {
		return t
	}
	var args []types.Type
	for i := range n.TypeParams().Len() {
		args = append(args, n.TypeParams().At(i))
	}
	if inst, err := types.Instantiate(types.NewContext(), n, args, false); err == nil {
		return inst
	}
	return t
}

func (m *method) typeParams(list *ast.FieldList) []model.TypeParam {
	if list == nil {
		return nil
	}
	return typeParams(m.code, m.p.Info, list)
}

// typeParams converts a list of type parameters. A blank one gets a name, since
// the wrapper has to say it again.
func typeParams(k coder, info *types.Info, list *ast.FieldList) []model.TypeParam {
	var out []model.TypeParam
	for _, f := range list.List {
		constraint := k.code(f.Type, info)
		for _, id := range f.Names {
			name := id.Name
			if name == "_" {
				name = blankTypeParam(len(out))
			}
			out = append(out, model.TypeParam{Name: name, Constraint: constraint})
		}
	}
	return out
}

func blankTypeParam(i int) string { return "P" + string(rune('0'+i%10)) }

// typeSpec finds the declaration of a type of the package.
func (c *checker) typeSpec(obj *types.TypeName) (*ast.TypeSpec, *load.File) {
	for _, f := range c.p.Files {
		if f.AST == nil {
			continue
		}
		for _, d := range f.AST.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok && c.p.Info.Defs[ts.Name] == obj {
					return ts, f
				}
			}
		}
	}
	return nil, nil
}

// members are the names of all fields and methods of a type, promoted ones
// included, that can be selected inside the package, sorted.
func members(t types.Type, pkg *types.Package) []string {
	names := map[string]bool{}
	add := func(o types.Object) {
		if o.Exported() || o.Pkg() == pkg {
			names[o.Name()] = true
		}
	}
	fields(t, map[types.Type]bool{}, add)
	sets := []types.Type{t}
	if _, isInterface := t.Underlying().(*types.Interface); !isInterface {
		sets = append(sets, types.NewPointer(t))
	}
	for _, s := range sets {
		ms := types.NewMethodSet(s)
		for i := range ms.Len() {
			add(ms.At(i).Obj())
		}
	}
	delete(names, "_")
	return sortedKeys(names)
}

// fields visits the fields of a struct and of what it embeds.
func fields(t types.Type, seen map[types.Type]bool, visit func(types.Object)) {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if seen[t] {
		return
	}
	seen[t] = true
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		visit(f)
		if f.Embedded() {
			fields(f.Type(), seen, visit)
		}
	}
}

// hasMember tells whether the wrapped type has a field or method of that name.
func (s *service) hasMember(name string) bool {
	_, found := slices.BinarySearch(s.model.Members, name)
	return found
}
