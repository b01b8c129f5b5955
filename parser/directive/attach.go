package directive

import (
	"go/ast"
	"go/token"
)

// place is what a doc comment belongs to.
type place struct {
	target Target
	// other describes a declaration that no directive may stand on, such as
	// "struct field"; the target is empty then.
	other string
	hint  string
}

// places maps each doc comment of package scope to its declaration.
func places(file *ast.File) map[*ast.CommentGroup]place {
	m := make(map[*ast.CommentGroup]place)
	other := func(g *ast.CommentGroup, what, hint string) {
		if g != nil {
			m[g] = place{other: what, hint: hint}
		}
	}
	other(file.Doc, "the package clause", "")
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil {
				continue
			}
			kind := Func
			if d.Recv != nil {
				kind = Method
			}
			m[d.Doc] = place{target: Target{Kind: kind, Decl: d}}
		case *ast.GenDecl:
			switch d.Tok {
			case token.TYPE:
				typePlaces(m, d)
			case token.CONST:
				if d.Doc != nil {
					m[d.Doc] = place{target: Target{Kind: ConstBlock, Decl: d}}
				}
				valuePlaces(d, other, "one constant of a block", "put it above the const block")
			case token.VAR:
				if d.Doc != nil {
					m[d.Doc] = place{target: Target{Kind: VarBlock, Decl: d}}
				}
				valuePlaces(d, other, "a var", "")
			case token.IMPORT:
				other(d.Doc, "an import", "")
				for _, s := range d.Specs {
					if s, ok := s.(*ast.ImportSpec); ok {
						other(s.Doc, "an import", "")
					}
				}
			}
		}
	}
	return m
}

func valuePlaces(d *ast.GenDecl, other func(*ast.CommentGroup, string, string), what, hint string) {
	for _, s := range d.Specs {
		if s, ok := s.(*ast.ValueSpec); ok {
			other(s.Doc, what, hint)
		}
	}
}

func typePlaces(m map[*ast.CommentGroup]place, d *ast.GenDecl) {
	if d.Doc != nil && d.Lparen.IsValid() {
		m[d.Doc] = place{other: "a group of types", hint: "put it above the type inside the group"}
	}
	for _, s := range d.Specs {
		s, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		doc := s.Doc
		if doc == nil && !d.Lparen.IsValid() {
			doc = d.Doc
		}
		if doc != nil {
			m[doc] = place{target: Target{Kind: typeKind(s), Decl: d, Spec: s}}
		}
		switch t := s.Type.(type) {
		case *ast.InterfaceType:
			methodPlaces(m, d, s, t)
		case *ast.StructType:
			fieldPlaces(m, t.Fields, "a struct field")
		}
	}
}

func typeKind(s *ast.TypeSpec) TargetKind {
	switch s.Type.(type) {
	case *ast.StructType:
		return Struct
	case *ast.InterfaceType:
		return Interface
	}
	return Type
}

func methodPlaces(m map[*ast.CommentGroup]place, d *ast.GenDecl, owner *ast.TypeSpec, t *ast.InterfaceType) {
	if t.Methods == nil {
		return
	}
	for _, f := range t.Methods.List {
		if f.Doc == nil {
			continue
		}
		if _, isFunc := f.Type.(*ast.FuncType); isFunc && len(f.Names) == 1 {
			m[f.Doc] = place{target: Target{Kind: InterfaceMethod, Decl: d, Field: f, Owner: owner}}
		} else {
			m[f.Doc] = place{other: "an embedded type", hint: "annotate the methods where they are declared"}
		}
	}
}

func fieldPlaces(m map[*ast.CommentGroup]place, fields *ast.FieldList, what string) {
	if fields == nil {
		return
	}
	for _, f := range fields.List {
		if f.Doc != nil {
			m[f.Doc] = place{other: what}
		}
	}
}
