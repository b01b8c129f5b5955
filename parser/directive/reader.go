package directive

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// What readers of other files than Go source need: text with places on several
// lines, and the steps of Scan apart from comments.

// TextIn is text whose bytes stand in a file that is in the caller's FileSet:
// places has the offset in the file of each byte of s and of its end.
func TextIn(file *token.File, s string, places []int) Text {
	t := Text{S: s, file: file, base: token.Pos(file.Base() + places[0]), offs: make([]int, len(places))}
	for i, p := range places {
		t.offs[i] = p - places[0]
	}
	return t
}

// Unreadable is an argument whose value has been diagnosed: it counts as given.
func (a Arg) Unreadable() Arg {
	a.bad = true
	return a
}

// Words splits what stands behind the name of a directive in its text form.
func Words(name string, t Text) ([]Arg, []diag.Diagnostic) {
	if spec := lookup(name); spec != nil {
		return tokenize(spec, t)
	}
	return Tokenize(t)
}

// DecodeBehind is Decode for arguments of which some could not be read, as diags
// tells: what is missing is not reported then. The result has diags in front.
func DecodeBehind(diags []diag.Diagnostic, name string, at model.Pos, args []Arg) (any, []diag.Diagnostic) {
	d := decoder{name: name, at: at, diags: diags, partial: len(diags) > 0}
	v := d.decode(args)
	return v, d.diags
}

// Declared is the declaration of package scope that a type, a function or a
// method, a const block or a var block is. spec is nil but for types.
func Declared(decl ast.Decl, spec ast.Spec) Target {
	t := Target{Decl: decl}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		t.Kind = Func
		if d.Recv != nil {
			t.Kind = Method
		}
	case *ast.GenDecl:
		switch ts, isType := spec.(*ast.TypeSpec); {
		case isType:
			t.Kind, t.Spec = typeKind(ts), ts
		case d.Tok == token.VAR:
			t.Kind = VarBlock
		default:
			t.Kind = ConstBlock
		}
	}
	return t
}

// Misplaced tells whether a directive is not for the declaration it was given to,
// and what to say then.
func Misplaced(a Attached) (diag.Diagnostic, bool) {
	spec := lookup(a.Name)
	if spec == nil || slices.Contains(spec.Targets, a.Target.Kind) {
		return diag.Diagnostic{}, false
	}
	return misplaced(spec, a, article(a.Target.Kind.String()), ""), true
}

// Elements is the number of elements that t has as a list.
func (t Text) Elements() int { return len(splitList(t)) }

// shape of a list: several elements, some of which are pairs.
func (l *List[T]) shape(a *ArgSpec) {
	var v T
	a.List = true
	switch any(v).(type) {
	case Named:
		a.Pair = ":"
	case StateValue:
		a.Pair, a.SQLText = ":", true
	case ErrorRule:
		a.Pair, a.Groups = ":", true
	}
}

func (*ColumnNames) shape(a *ArgSpec) { a.List = true }

func (*SetColumns) shape(a *ArgSpec) { a.List, a.Pair = true, "=" }

func (v *Val[T]) shape(a *ArgSpec) {
	if _, ok := any(v.V).(Assignments); ok {
		a.List, a.Pair = true, "="
	}
}
