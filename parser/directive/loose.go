package directive

import (
	"go/ast"
	"go/token"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// loose explains why a directive belongs to no declaration; at is where its
// name stands, offset where the comment begins.
func (s *source) loose(title string, at model.Pos, offset int) diag.Diagnostic {
	p := s.base + token.Pos(offset)
	if !s.base.IsValid() {
		p = token.NoPos
	}
	for _, decl := range s.file.Decls {
		if p < decl.Pos() || p >= decl.End() && !unclosed(decl) {
			continue
		}
		if unclosed(decl) || inBody(decl, p) {
			return diag.New(diag.CodeInsideBody, at, "%s stands inside a function body", title).
				WithHint("put it above the declaration that it is for")
		}
		if _, isFunc := decl.(*ast.FuncDecl); isFunc {
			return diag.New(diag.CodeMisplaced, at, "%s stands inside a signature", title).
				WithHint("put it above the declaration that it is for")
		}
		return diag.New(diag.CodeDetached, at, "%s belongs to nothing inside this declaration", title).
			WithHint("no blank line or other comment may stand between it and what it is for")
	}
	f := diag.New(diag.CodeDetached, at, "%s belongs to no declaration", title)
	next := s.nextDecl(p)
	switch {
	case !p.IsValid() || s.file.Package.IsValid() && p < s.file.Package:
		return f.WithHint("put it directly above the declaration that it is for")
	case next == nil:
		return f.WithHint("nothing follows it")
	}
	if _, broken := next.(*ast.BadDecl); broken {
		return f.WithHint("the declaration behind it can't be read")
	}
	return f.WithHint("no blank line or other comment may stand between it and its declaration").
		WithRelated(model.PosOf(s.fset.PositionFor(next.Pos(), false)), "the next declaration is here")
}

// nextDecl is the first declaration behind p, or nil.
func (s *source) nextDecl(p token.Pos) ast.Decl {
	for _, decl := range s.file.Decls {
		if decl.Pos() > p {
			return decl
		}
	}
	return nil
}

// inBody tells whether p lies inside a function body or literal of the declaration.
func inBody(decl ast.Decl, p token.Pos) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if b, ok := n.(*ast.BlockStmt); ok && b.Pos() < p && p < b.End() {
			found = true
		}
		return !found && (n == nil || n.Pos() <= p && p <= n.End())
	})
	return found
}

// unclosed tells whether the body of a function lacks its closing brace: all
// that follows is inside.
func unclosed(decl ast.Decl) bool {
	f, ok := decl.(*ast.FuncDecl)
	return ok && f.Body != nil && !f.Body.Rbrace.IsValid()
}
