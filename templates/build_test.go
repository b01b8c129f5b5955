package templates

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

// builder makes the model of one source file for a test: signatures are read
// from the file, layers are given by hand.
type builder struct {
	t    *testing.T
	src  string
	file *ast.File
	fset *token.FileSet
	pkg  *model.Package
	// names are the package names of imports whose path does not tell.
	names map[string]string
}

const casesModule = "example.com/cases"

func newBuilder(t *testing.T, dir, src string, pkgNames map[string]string) *builder {
	t.Helper()
	b := &builder{t: t, src: src, fset: token.NewFileSet(), names: pkgNames}
	var err error
	b.file, err = parser.ParseFile(b.fset, dir+".go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	b.pkg = &model.Package{
		Path: casesModule + "/" + dir, Name: b.file.Name.Name, Module: casesModule,
		Dir: "/" + dir, Output: model.OutputFile,
	}
	for _, d := range b.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				b.pkg.Taken = append(b.pkg.Taken, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					b.pkg.Taken = append(b.pkg.Taken, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						b.pkg.Taken = append(b.pkg.Taken, n.Name)
					}
				}
			}
		}
	}
	slices.Sort(b.pkg.Taken)
	return b
}

func (b *builder) pos(p token.Pos) model.Pos { return model.PosOf(b.fset.Position(p)) }

// signature reads parameters and results.
func (b *builder) signature(m *model.Method, ft *ast.FuncType) {
	m.CtxParam, m.TxParam = -1, -1
	for _, f := range ft.Params.List {
		typ := f.Type
		if el, ok := typ.(*ast.Ellipsis); ok {
			m.Variadic, typ = true, el.Elt
		}
		names := f.Names
		if len(names) == 0 {
			names = []*ast.Ident{ast.NewIdent("")}
		}
		for _, n := range names {
			p := model.Param{Name: n.Name, Type: b.code(typ, nil), Kind: kindOf(typ)}
			switch types.ExprString(typ) {
			case "context.Context":
				m.CtxParam = len(m.Params)
				p.Kind = model.KindContext
			case "*sql.Tx", "*gorm.DB", "uow.Tx":
				m.TxParam = len(m.Params)
			}
			if _, ok := typ.(*ast.FuncType); ok {
				p.Kind = model.KindFunc
			}
			if m.Variadic {
				p.Kind = model.KindOther
			}
			m.Params = append(m.Params, p)
		}
	}
	if ft.Results != nil {
		for _, f := range ft.Results.List {
			for range max(1, len(f.Names)) {
				m.Results = append(m.Results, model.Param{Type: b.code(f.Type, nil)})
			}
		}
		m.Results = m.Results[:len(m.Results)-1]
	}
	for i, p := range m.Params {
		if i != m.TxParam && p.Kind != model.KindContext && p.Kind != model.KindFunc {
			m.Match = append(m.Match, model.Part{Text: p.Name, Expr: model.Code{{Kind: model.TokParam, Index: i}}, Kind: p.Kind})
		}
	}
}

func kindOf(typ ast.Expr) model.Kind {
	switch types.ExprString(typ) {
	case "string", "ID":
		return model.KindString
	case "int", "int64":
		return model.KindInt
	case "bool":
		return model.KindBool
	case "uint64", "byte":
		return model.KindUint
	case "[]byte":
		return model.KindBytes
	case "[16]byte", "another_uuid.UUID":
		return model.KindByteArray
	case "time.Time":
		return model.KindText
	}
	return model.KindOther
}

func (b *builder) typeSpec(name string) *ast.TypeSpec {
	for _, d := range b.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Name == name {
					return ts
				}
			}
		}
	}
	b.t.Fatalf("no type %s", name)
	return nil
}

func (b *builder) typeParams(l *ast.FieldList) []model.TypeParam {
	var tps []model.TypeParam
	if l == nil {
		return nil
	}
	for _, f := range l.List {
		for _, n := range f.Names {
			tps = append(tps, model.TypeParam{Name: n.Name, Constraint: b.code(f.Type, nil)})
		}
	}
	return tps
}

// service finds or adds a service.
func (b *builder) service(name string) *model.Service {
	for _, s := range b.pkg.Services {
		if s.Name == name {
			return s
		}
	}
	ts := b.typeSpec(name)
	s := &model.Service{Name: name, Pos: b.pos(ts.Pos()), TypeParams: b.typeParams(ts.TypeParams)}
	switch t := ts.Type.(type) {
	case *ast.InterfaceType:
		s.Interface = true
		for _, f := range t.Methods.List {
			for _, n := range f.Names {
				s.Members = append(s.Members, n.Name)
			}
		}
	case *ast.StructType:
		for _, f := range t.Fields.List {
			for _, n := range f.Names {
				s.Members = append(s.Members, n.Name)
			}
		}
	}
	for _, d := range b.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && recvName(f) == name {
			s.Members = append(s.Members, f.Name.Name)
		}
	}
	b.pkg.Services = append(b.pkg.Services, s)
	return s
}

func recvName(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	switch g := t.(type) {
	case *ast.IndexExpr:
		t = g.X
	case *ast.IndexListExpr:
		t = g.X
	}
	return t.(*ast.Ident).Name
}

// method adds Service.Pay, or a plain function.
func (b *builder) method(name string, layers ...func(*model.Method)) *model.Method {
	b.t.Helper()
	m := &model.Method{OpName: b.pkg.Path + "." + name}
	recv, short, isMethod := strings.Cut(name, ".")
	if !isMethod {
		m.Name = recv
		for _, d := range b.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == recv {
				m.Pos = b.pos(f.Pos())
				m.TypeParams = b.typeParams(f.Type.TypeParams)
				b.signature(m, f.Type)
			}
		}
		b.pkg.Funcs = append(b.pkg.Funcs, m)
	} else {
		m.Name = short
		s := b.service(recv)
		if it, ok := b.typeSpec(recv).Type.(*ast.InterfaceType); ok {
			for _, f := range it.Methods.List {
				if len(f.Names) > 0 && f.Names[0].Name == short {
					m.Pos = b.pos(f.Pos())
					b.signature(m, f.Type.(*ast.FuncType))
				}
			}
		}
		for _, d := range b.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && recvName(f) == recv && f.Name.Name == short {
				m.Pos = b.pos(f.Pos())
				if n := f.Recv.List[0].Names; len(n) > 0 {
					m.Recv = n[0].Name
				}
				b.signature(m, f.Type)
			}
		}
		s.Methods = append(s.Methods, m)
	}
	if m.Pos.Line == 0 {
		b.t.Fatalf("no method %s", name)
	}
	for _, l := range layers {
		l(m)
	}
	return m
}

// part makes a key part of an expression; selectors through pointers are guarded.
func (b *builder) part(m *model.Method, expr string, kind model.Kind, guards ...string) model.Part {
	parse := func(s string) model.Code {
		e, err := parser.ParseExpr(s)
		if err != nil {
			b.t.Fatal(err)
		}
		return b.code(e, m)
	}
	p := model.Part{Text: expr, Kind: kind, Expr: parse(expr)}
	for _, g := range guards {
		p.Guards = append(p.Guards, parse(g))
	}
	return p
}

// once gives a method a dedupe record with a string key.
func (b *builder) once(key string, more ...func(*model.Method)) func(*model.Method) {
	return func(m *model.Method) {
		m.Once = &model.Once{TTL: int64(24 * 3600e9)}
		if m.TxParam < 0 {
			m.Once.Lease, m.Once.Orphan = 2e9, model.OrphanHold
		}
		if key != "" {
			m.Once.Key = []model.Part{b.part(m, key, model.KindString)}
		}
		for _, f := range more {
			f(m)
		}
	}
}

// keyed sets a guarded key part of a kind.
func (b *builder) keyed(expr string, kind model.Kind, guards ...string) func(*model.Method) {
	return func(m *model.Method) { m.Once.Key = append(m.Once.Key, b.part(m, expr, kind, guards...)) }
}

// fire gives a method the guarded update of an event.
func (b *builder) fire(machine *model.Machine, event, key string, guards ...string) func(*model.Method) {
	return func(m *model.Method) {
		i := slices.IndexFunc(machine.Events, func(e *model.Event) bool { return e.Name == event })
		m.Fire = &model.Fire{Machine: machine, Event: machine.Events[i], Key: b.part(m, key, model.KindString, guards...)}
	}
}

func (b *builder) emit() string {
	b.t.Helper()
	f, err := Emit(b.pkg)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(f.Content)
}

// files are all files of the package, by name.
func (b *builder) files() map[string]string {
	b.t.Helper()
	list, err := Files(b.pkg)
	if err != nil {
		b.t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range list {
		files[filepath.Base(f.Path)] = string(f.Content)
	}
	return files
}
