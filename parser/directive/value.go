package directive

import (
	"go/ast"
	"time"

	"github.com/idemgen/idemgen/internal/model"
)

// Val is a single value. When the argument is absent, Set is false, the
// positions are zero and V is the default of the registry or the zero value.
type Val[T any] struct {
	Set    bool
	V      T
	Pos    model.Pos // first byte of the value
	KeyPos model.Pos // first byte of the argument's name
}

// List is a comma-separated value. When the argument is absent, Set is false.
// `none`, where the argument allows it, is a Set list without elements.
type List[T any] struct {
	Set    bool
	Elems  []T
	Pos    model.Pos // first byte of the value
	KeyPos model.Pos // first byte of the argument's name
}

// None tells that the list was given as `none`.
func (l List[T]) None() bool { return l.Set && len(l.Elems) == 0 }

// Expr is a Go expression (or type, or name) as written.
type Expr struct {
	Text string
	Pos  model.Pos // first byte
	// Expr is the parsed form. Where the directive came from a Go file, its
	// positions are positions of that file in the FileSet given to Scan, so a
	// type checker's errors point at the right column.
	Expr ast.Expr

	src Text
}

// Elem is an element of a list: an expression or a name.
type Elem = Expr

// At is the source position of a node inside the expression.
func (e Expr) At(n ast.Node) model.Pos {
	if n == nil || e.Expr == nil {
		return e.Pos
	}
	if f := e.src.file; f != nil {
		return model.PosOf(f.PositionFor(n.Pos(), false))
	}
	p := e.src.pos
	p.Col += int(n.Pos() - e.src.anchor())
	return p
}

// Name is an identifier as written.
type Name struct {
	Text string
	Pos  model.Pos
}

// Retention is how long a record is kept, in nanoseconds; Never for ever.
type Retention time.Duration

// Never is ttl=never.
const Never Retention = -1

// Bytes is a size in bytes.
type Bytes int64

// ErrorRule is one element of errors=store:ErrA,unknown:ErrB.
type ErrorRule struct {
	Do   string // "release", "store" or "unknown"
	Pos  model.Pos
	Name Expr // ErrA or pkg.ErrB
}

// element is what lists need to tell their elements apart.
type element interface {
	ident() string
	at() model.Pos
}

func (e Expr) ident() string      { return e.Text }
func (e Expr) at() model.Pos      { return e.Pos }
func (n Name) ident() string      { return n.Text }
func (n Name) at() model.Pos      { return n.Pos }
func (r ErrorRule) ident() string { return r.Name.Text }
func (r ErrorRule) at() model.Pos { return r.Name.Pos }
