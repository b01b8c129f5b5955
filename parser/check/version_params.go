package check

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/sqlfrag"
)

// updateScope reads the SQL of one update, or of the struct's own where=: its
// parameters have the types of the fields that they are compared with or assigned to.
type updateScope struct {
	*versioned
	sql *sqlScope
}

// predicate converts a where=.
func (s *updateScope) predicate(f directive.Fragment) model.Frag {
	s.expr(f.Tokens, nil)
	return s.sql.frag(f.Tokens)
}

// expr reports columns that are misspelt, and prepares the types of parameters.
// target is the field that an expression is assigned to, nil in a predicate.
func (s *updateScope) expr(tokens []directive.SQLToken, target *columnField) {
	misspelt := false
	for _, t := range columnTokens(tokens) {
		name := directive.Name{Text: t.Text, Pos: t.Pos}
		// What is no field may still be a column, or a word of this dialect.
		if s.columns.fold(t.Text) == nil && diag.Suggest(t.Text, s.columns.names()) != "" {
			s.fault(s.unknownColumn(name, "column"))
			misspelt = true
		}
	}
	fields := map[string]*columnField{}
	for _, part := range comparisons(tokens) {
		f := s.fieldOf(part, target)
		for _, t := range part.tokens {
			if t.Kind != sqlfrag.Param {
				continue
			}
			if fields[t.Text] == nil {
				fields[t.Text] = f
			}
		}
	}
	s.sql.untyped = func(name string, at model.Pos) (paramType, bool) {
		if fields[name] == nil && misspelt {
			return paramType{}, false
		}
		return s.paramType(name, at, fields[name])
	}
}

// paramType is the type of a field as that of a parameter.
func (s *updateScope) paramType(name string, at model.Pos, f *columnField) (paramType, bool) {
	d := diag.New(diag.CodeParamUntyped, at, "parameter %s has no type", name).WithHint("say it: params=%s:string", name)
	if f == nil {
		d.Message += ": no field of " + s.model.Type[0].Text + " has a column that it is compared with or assigned to"
		s.fault(d)
		return paramType{}, false
	}
	code, ok := s.typeCode(f.typ)
	switch {
	case unresolved(f.typ):
		d.Message += ": that of field " + f.path + " can't be resolved"
	case f.encoded || !isSQLType(f.typ):
		d.Message += ": field " + f.path + " is " + s.typeText(f.typ) + ", which no driver takes as it is"
	case !ok:
		d.Message += ": " + s.typeText(f.typ) + " of field " + f.path + " can't be named here"
	default:
		return paramType{code, f.typ}, true
	}
	s.fault(d.WithRelated(s.p.Pos(f.pos), "field %s is here", f.path))
	return paramType{}, false
}

// fieldOf is the field that the parameters of a part take their type from.
func (s *updateScope) fieldOf(part sqlPart, target *columnField) *columnField {
	if target != nil && !part.compares() {
		if part.operand {
			return nil
		}
		return target
	}
	for _, t := range columnTokens(part.tokens) {
		if f := s.columns.fold(t.Text); f != nil {
			return f
		}
	}
	return nil
}

// sqlPart is what stands between two words such as AND: one comparison, or one
// operand.
type sqlPart struct {
	tokens  []directive.SQLToken
	operand bool // of WHEN: a value that is compared with something further up
}

// comparisons cuts a predicate or expression into its parts. The AND of a BETWEEN
// joins nothing.
func comparisons(tokens []directive.SQLToken) []sqlPart {
	parts := []sqlPart{{}}
	between := false
	for _, t := range tokens {
		word := ""
		if t.Kind == sqlfrag.Word {
			word = strings.ToUpper(t.Text)
		}
		switch {
		case word == "BETWEEN":
			between = true
		case word == "AND" && between:
			between = false
		case slices.Contains([]string{"AND", "OR", "XOR", "CASE", "WHEN", "THEN", "ELSE", "END"}, word):
			parts = append(parts, sqlPart{operand: word == "WHEN"})
			continue
		}
		last := &parts[len(parts)-1]
		last.tokens = append(last.tokens, t)
	}
	return parts
}

// compares tells whether the part is a comparison.
func (p sqlPart) compares() bool {
	return slices.ContainsFunc(p.tokens, func(t directive.SQLToken) bool {
		switch t.Kind {
		case sqlfrag.Op:
			return slices.Contains([]string{"=", "==", "<>", "!=", "<", ">", "<=", ">=", "<=>"}, t.Text)
		case sqlfrag.Word:
			return slices.Contains([]string{"LIKE", "ILIKE", "IN", "IS", "BETWEEN", "REGEXP", "GLOB"}, strings.ToUpper(t.Text))
		}
		return false
	})
}

// typeCode writes a type as generated code names it; false where it can't.
func (v *versioned) typeCode(t types.Type) (model.Code, bool) {
	w := typeWriter{v: v, ok: true}
	w.typ(t)
	return w.out, w.ok
}

// typeWriter writes types that stand in no file of the package.
type typeWriter struct {
	v   *versioned
	out model.Code
	ok  bool
}

func (w *typeWriter) text(s string) {
	if n := len(w.out); n > 0 && w.out[n-1].Kind == model.TokText {
		w.out[n-1].Text += s
		return
	}
	w.out = append(w.out, model.Tok{Kind: model.TokText, Text: s})
}

func (w *typeWriter) typ(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		if t.TypeArgs().Len() == 0 && w.object(t.Obj()) {
			return
		}
		w.typ(types.Unalias(t))
	case *types.Basic:
		w.ok = w.ok && t.Kind() != types.Invalid && t.Kind() != types.UnsafePointer
		w.text(t.Name())
	case *types.Named:
		if !w.object(t.Obj()) {
			w.ok = false
			return
		}
		for i := range t.TypeArgs().Len() {
			w.text([]string{"[", ", "}[min(i, 1)])
			w.typ(t.TypeArgs().At(i))
		}
		if t.TypeArgs().Len() > 0 {
			w.text("]")
		}
	case *types.Pointer:
		w.text("*")
		w.typ(t.Elem())
	case *types.Slice:
		w.text("[]")
		w.typ(t.Elem())
	case *types.Array:
		w.text("[" + strconv.FormatInt(t.Len(), 10) + "]")
		w.typ(t.Elem())
	default:
		w.ok = false
	}
}

// object writes the name of a type; false where generated code can't see it.
func (w *typeWriter) object(o *types.TypeName) bool {
	pkg := o.Pkg()
	switch {
	case pkg == nil:
		w.text(o.Name())
	case o.Parent() != pkg.Scope():
		return false
	case pkg == w.v.p.Types:
		w.text(o.Name())
	case !o.Exported() || !visible(pkg.Path(), w.v.p.Path):
		return false
	default:
		w.out = append(w.out, model.Tok{Kind: model.TokQual, Text: o.Name(), Import: w.v.p.ImportOf(w.v.g.file, pkg.Path(), pkg.Name())})
	}
	return true
}

// visible tells whether a package may import another, which may be an internal one.
func visible(path, from string) bool {
	i := strings.LastIndex("/"+path+"/", "/internal/")
	if i < 0 {
		return true
	}
	root := strings.TrimSuffix(("/" + path)[:i], "/")
	return strings.HasPrefix("/"+from+"/", root+"/")
}
