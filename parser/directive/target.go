package directive

import (
	"go/ast"
	"go/token"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Attached is one directive with the declaration it stands on.
type Attached struct {
	Name    string    // "once"
	Pos     model.Pos // of the "//idem:" comment
	NamePos model.Pos // of the name behind "//idem:"
	Target  Target    // where it stands
	// Faulty tells that the arguments have been diagnosed and Args is
	// incomplete: nothing that only follows from that should be reported.
	Faulty bool

	args any  // decoded already
	line Text // else what stands behind the name
}

// Decoded is a directive that does not come from a comment, with its typed struct.
func Decoded(name string, at model.Pos, args any, faulty bool) Attached {
	return Attached{Name: name, Pos: at, NamePos: at, Faulty: faulty, args: args}
}

// Args is the directive's typed struct: *Once, *StateMachine, *Transition, *Fire,
// *Version, *Update, *Token, *Lock, *Unique, *Request or *Message; never nil. Of a
// comment it is decoded at every call: the structs are large, and a run holds all
// directives of its packages at once. What is wrong with the arguments Scan has told.
func (a *Attached) Args() any {
	if a.args != nil {
		return a.args
	}
	args, _ := a.decode()
	return args
}

// decode reads the arguments.
func (a *Attached) decode() (any, []diag.Diagnostic) {
	args, diags := tokenize(lookup(a.Name), a.line)
	d := decoder{name: a.Name, at: a.NamePos, diags: diags, partial: len(diags) > 0}
	return d.decode(args), d.diags
}

// TargetKind is a kind of declaration.
type TargetKind uint8

// Kinds of declarations.
const (
	Method          TargetKind = iota + 1 // method of a defined type
	Func                                  // plain function
	InterfaceMethod                       // method of an interface of package scope
	Struct                                // struct type
	Interface                             // interface type
	Type                                  // other defined type, or alias
	ConstBlock                            // const declaration, with or without parentheses
	VarBlock                              // var declaration, with or without parentheses
)

// String names the kind as a message does.
func (k TargetKind) String() string {
	switch k {
	case Method:
		return "method"
	case Func:
		return "function"
	case InterfaceMethod:
		return "interface method"
	case Struct:
		return "struct"
	case Interface:
		return "interface"
	case Type:
		return "type"
	case ConstBlock:
		return "const block"
	case VarBlock:
		return "var block"
	}
	return "declaration"
}

// Target is the declaration that a directive stands on.
type Target struct {
	Kind  TargetKind
	Decl  ast.Decl      // *ast.FuncDecl or *ast.GenDecl
	Spec  ast.Spec      // *ast.TypeSpec for types, also inside type ( … ), nil otherwise
	Field *ast.Field    // the interface method
	Owner *ast.TypeSpec // the interface of an interface method
}

// Node is what tells declarations apart; nil for the zero Target.
func (t Target) Node() ast.Node {
	switch {
	case t.Field != nil:
		return t.Field
	case t.Spec != nil:
		return t.Spec
	case t.Decl != nil:
		return t.Decl
	}
	return nil
}

// Pos is where the declaration begins.
func (t Target) Pos() token.Pos {
	if n := t.Node(); n != nil {
		return n.Pos()
	}
	return token.NoPos
}
