package load

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/spec"
)

// Declared is a type that exists in idem.yaml alone: the output declares it.
type Declared struct {
	Pos    model.Pos
	Name   string
	File   *File    // where its names are resolved
	Type   ast.Expr // string, or pb.OrderStatus
	Alias  bool
	Consts []model.Const
}

// virtualFile is the file of the package that exists only in memory. The positions of
// its declarations are those of idem.yaml; it gets a place of its own in the
// FileSet, so that no expression is taken to stand in it.
func (b *describer) virtualFile() *File {
	if b.virtual != nil {
		return b.virtual
	}
	name := b.files[len(b.files)-1].source.file.Name.Name
	place := b.res.Fset.AddFile("idemgen:"+b.pkg.ImportPath, -1, 1)
	src := &source{name: spec.FileName, virtual: true, file: &ast.File{Name: ast.NewIdent(name), Package: place.Pos(0)}}
	if first := b.scan.described; len(first) > 0 {
		src.path = first[0].Key.Pos.File
	}
	b.virtual = &File{Path: src.path, source: src}
	src.imports = b.files[0].extra
	b.files = append(b.files, b.virtual)
	return b.virtual
}

// declare adds the type that a description declares, and its states.
func (b *describer) declare(d *spec.Declaration) {
	name := d.Member
	if u := b.index.decls[name]; u != nil {
		b.report(diag.New(diag.CodeYAMLType, d.Type.Pos, "the package declares %s already", name).WithRelated(b.declPos(u, name), "it is declared here").
			WithHint("remove type: and states:, or give what is described another name"))
		d.Faulty = true
		return
	}
	f := b.virtualFile()
	ts := &ast.TypeSpec{Name: ident(d.Key, name), Type: d.Type.Expr}
	out := Declared{Pos: d.Key.Pos, Name: name, File: f, Type: d.Type.Expr}
	generic, args := spec.Instance(d.Type.Expr)
	if sel, ok := generic.(*ast.SelectorExpr); ok {
		out.Alias, ts.Assign = true, d.Key.At
		u, dep := b.exported(sel)
		if u == nil || !b.instance(d, u, args) {
			d.Faulty = true
			return
		}
		if it := b.interfaceOf(dep, u); it != nil {
			ts.Assign = token.NoPos
			ts.Type = &ast.InterfaceType{Interface: d.Key.At, Methods: &ast.FieldList{List: append([]*ast.Field{{Type: d.Type.Expr}}, b.methods(d, dep, u)...)}}
		}
	}
	decls := []ast.Decl{&ast.GenDecl{Tok: token.TYPE, TokPos: d.Key.At, Specs: []ast.Spec{ts}}}
	if len(d.States) > 0 {
		g := &ast.GenDecl{Tok: token.CONST, TokPos: d.States[0].Name.At, Lparen: d.States[0].Name.At}
		for _, s := range d.States {
			if u := b.index.decls[s.Name.Text]; u != nil {
				b.report(diag.New(diag.CodeYAMLState, s.Name.Pos, "the package declares %s already", s.Name.Text).WithRelated(b.declPos(u, s.Name.Text), "it is declared here"))
				d.Faulty = true
				continue
			}
			g.Specs = append(g.Specs, &ast.ValueSpec{Names: []*ast.Ident{ident(s.Name, s.Name.Text)}, Type: &ast.Ident{NamePos: s.Name.At, Name: name}, Values: []ast.Expr{s.Node()}})
			g.Rparen = s.Value.At + 1
			out.Consts = append(out.Consts, model.Const{Pos: s.Name.Pos, Name: s.Name.Text, Value: s.Literal})
		}
		decls = append(decls, g)
	}
	f.source.file.Decls = append(f.source.file.Decls, decls...)
	b.declared = append(b.declared, out)
	added := &source{virtual: true, file: &ast.File{Name: f.source.file.Name, Decls: decls}}
	b.index.index(added)
	for _, u := range b.index.decls {
		if u.src == added {
			u.src = f.source
		}
	}
}

func ident(at spec.Name, name string) *ast.Ident { return &ast.Ident{NamePos: at.At, Name: name} }

// exported finds the type of another package that type: names.
func (b *describer) exported(sel *ast.SelectorExpr) (*unit, *node) {
	pkg := sel.X.(*ast.Ident)
	for _, imp := range b.virtual.source.imports {
		if b.importName(b.index, imp) != pkg.Name {
			continue
		}
		dep := b.imported(b.index, imp.path)
		if dep == nil {
			return nil, nil // the import has been reported
		}
		if u := dep.decls[sel.Sel.Name]; u != nil {
			if _, ok := u.spec.(*ast.TypeSpec); ok {
				return u, dep
			}
		}
		b.report(diag.New(diag.CodeYAMLType, b.pos(sel.Sel.Pos()), "package %s declares no type %s", imp.path, sel.Sel.Name).
			WithSuggestion(sel.Sel.Name, exportedTypes(dep)))
		return nil, nil
	}
	b.report(diag.New(diag.CodeYAMLType, b.pos(pkg.Pos()), "no import is called %s", pkg.Name).WithHint("add imports: {%s: …} to the package", pkg.Name))
	return nil, nil
}

// instance tells whether a type has as many type arguments as it takes.
func (b *describer) instance(d *spec.Declaration, u *unit, args []ast.Expr) bool {
	params := typeParams(u)
	if len(params) == len(args) {
		return true
	}
	name, _, _ := strings.Cut(d.Type.Text, "[")
	whole := name + "[" + strings.Join(params, ", ") + "]"
	bad := diag.New(diag.CodeYAMLType, d.Type.Pos, "%s takes %d type arguments, found %d", name, len(params), len(args))
	switch {
	case len(params) == 0:
		bad.Message = name + " is not generic"
	case len(args) == 0:
		bad.Message = name + " is generic: an interface can be guarded for type arguments alone"
		fallthrough
	default:
		bad = bad.WithHint("write %s, with a type in place of %s", whole, strings.Join(params, " and of "))
	}
	b.report(bad)
	return false
}

func exportedTypes(n *node) []string {
	var out []string
	for _, name := range sortedKeys(n.decls) {
		if _, ok := n.decls[name].spec.(*ast.TypeSpec); ok && token.IsExported(name) {
			out = append(out, name)
		}
	}
	return out
}
