package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

func (c *checker) sameLine(a, b token.Pos) bool {
	x, y := c.p.Pos(a), c.p.Pos(b)
	return x.File == y.File && x.Line == y.Line && x.File != ""
}

// context settles where the context comes from: ctx=, else the first parameter
// that is a context.Context, wherever it stands, else nowhere.
func (m *method) context() {
	if arg := m.g.ctxArg(); arg.Set {
		m.contextArg(arg)
		return
	}
	for i, p := range m.model.Params {
		if p.Kind == model.KindContext && !m.isVariadic(i) {
			m.model.CtxParam = i
			return
		}
	}
}

func (m *method) isVariadic(i int) bool {
	return m.model.Variadic && i == len(m.model.Params)-1
}

// contextArg follows ctx=: a parameter by name, or an expression.
func (m *method) contextArg(arg directive.Val[directive.Expr]) {
	if id, ok := arg.V.Expr.(*ast.Ident); ok {
		if i := m.param(id.Name); i >= 0 {
			if m.model.Params[i].Kind != model.KindContext || m.isVariadic(i) {
				m.fail(diag.New(diag.CodeCtxUnknown, arg.Pos, "%s is %s, not a context.Context", id.Name, m.typeText(m.sig.Params().At(i).Type())))
				return
			}
			m.model.CtxParam = i
			return
		}
	}
	x, ok := m.expr.eval(arg.V, diag.CodeCtxUnknown)
	if !ok {
		return
	}
	if !isContextLike(x.typ) {
		m.fail(diag.New(diag.CodeCtxUnknown, arg.Pos, "%s is %s, not a context.Context", arg.V.Text, m.typeText(x.typ)))
		return
	}
	for _, tok := range x.code {
		if tok.Kind == model.TokParam {
			m.fail(diag.New(diag.CodeCtxUnknown, arg.Pos, "ctx= takes a parameter or an expression over the receiver: %s goes through parameter %s, which may be nil", arg.V.Text, tok.Text).
				WithHint("take the context as a parameter"))
			return
		}
	}
	m.model.CtxExpr = x.code
}

// isContextLike tells whether a value of type t can be passed as a
// context.Context, without needing that package.
func isContextLike(t types.Type) bool {
	if isContext(t) {
		return true
	}
	for _, want := range []struct {
		name            string
		params, results int
	}{{"Deadline", 0, 2}, {"Done", 0, 1}, {"Err", 0, 1}, {"Value", 1, 1}} {
		if !hasMethod(t, want.name, func(s *types.Signature) bool {
			return s.Params().Len() == want.params && s.Results().Len() == want.results
		}) {
			return false
		}
	}
	return true
}

// param is the index of a parameter by name, or -1.
func (m *method) param(name string) int {
	for i, p := range m.model.Params {
		if p.Name == name && name != "" && name != "_" {
			return i
		}
	}
	return -1
}

// txType is a type that is known to be a transaction.
type txType struct {
	path    string // of the package, without a major version at its end
	name    string
	pointer bool
}

// txTypes are the transactions of the libraries that people use.
var txTypes = [...]txType{
	{"database/sql", "Tx", true},
	{"github.com/jackc/pgx", "Tx", false},
	{"github.com/jackc/pgx/*/pgxpool", "Tx", true},
	{"github.com/jmoiron/sqlx", "Tx", true},
	{"github.com/uptrace/bun", "Tx", false},
	{"gorm.io/gorm", "DB", true},
}

// isTx tells whether t is a transaction that can be seen without being told.
func isTx(t types.Type) bool {
	t = types.Unalias(t)
	ptr, pointer := t.(*types.Pointer)
	if pointer {
		t = types.Unalias(ptr.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	path := n.Obj().Pkg().Path()
	for _, known := range txTypes {
		if known.name == n.Obj().Name() && known.pointer == pointer && samePath(known.path, path) {
			return true
		}
	}
	return pointer && isEntTx(n)
}

// samePath compares a package path with a known one; * and the end of the known
// one stand for a major version, or for none.
func samePath(known, path string) bool {
	before, after, _ := strings.Cut(known, "/*")
	rest, ok := strings.CutPrefix(path, before)
	if !ok {
		return false
	}
	if version, found := strings.CutPrefix(rest, "/v"); found {
		rest = strings.TrimLeft(version, "0123456789")
	}
	return rest == after
}

// isEntTx sees the transaction that ent generates into every project: a Tx with
// Client, Commit and Rollback.
func isEntTx(n *types.Named) bool {
	if n.Obj().Name() != "Tx" {
		return false
	}
	p := types.NewPointer(n)
	whatever := func(*types.Signature) bool { return true }
	return hasMethod(p, "Client", whatever) && hasMethod(p, "Commit", whatever) && hasMethod(p, "Rollback", whatever)
}

// transaction settles where the transaction is: tx=, else the one parameter
// that is one. tx= with the context parameter means that it travels there.
func (m *method) transaction() {
	if arg := m.g.txArg(); arg.Set {
		m.transactionArg(arg)
		return
	}
	first := -1
	for i := range m.model.Params {
		if i >= m.sig.Params().Len() || m.isVariadic(i) || !isTx(m.sig.Params().At(i).Type()) {
			continue
		}
		if first < 0 {
			first = i
			continue
		}
		m.fail(diag.New(diag.CodeTxAmbiguous, m.model.Params[i].Pos, "%s takes several transactions: %s and %s", m.title, m.paramText(first), m.paramText(i)).
			WithRelated(m.model.Params[first].Pos, "the first is here").WithHint("say which one with tx= of //idem:%s", m.g.recordName()))
		break
	}
	m.model.TxParam = first
}

func (m *method) transactionArg(arg directive.Val[string]) {
	i := m.param(arg.V)
	m.txFaulty = i < 0
	switch {
	case i < 0:
		m.fail(diag.New(diag.CodeTxUnknown, arg.Pos, "%s has no parameter %q", m.title, arg.V).WithSuggestion(arg.V, m.paramNames()))
	case i == m.model.CtxParam:
		m.model.TxCtx = true
	case m.isVariadic(i) || !canBeTx(m.sig.Params().At(i).Type()):
		m.txFaulty = true
		m.fail(diag.New(diag.CodeTxUnknown, arg.Pos, "%s is %s, which can't be a transaction", arg.V, m.typeText(m.sig.Params().At(i).Type())))
	default:
		m.model.TxParam = i
	}
}

// canBeTx refuses what no store could hand out as a transaction.
func canBeTx(t types.Type) bool {
	if isContext(t) {
		return false
	}
	switch types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Struct, *types.Signature:
		return true
	}
	return false
}

// paramText names a parameter in a message, also one without a name.
func (m *method) paramText(i int) string {
	if name := m.model.Params[i].Name; name != "" && name != "_" {
		return name
	}
	return fmt.Sprintf("parameter %d", i+1)
}

func (m *method) paramNames() []string {
	var out []string
	for _, p := range m.model.Params {
		if p.Name != "" && p.Name != "_" {
			out = append(out, p.Name)
		}
	}
	return out
}
