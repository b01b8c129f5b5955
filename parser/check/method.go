package check

import (
	"go/ast"
	"go/types"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// method is one guarded method, function or interface method on its way into
// the model.
type method struct {
	*checker
	g     *group
	model *model.Method
	svc   *service // nil for a plain function
	fn    *types.Func
	sig   *types.Signature
	expr  *scope // for the directives' expressions
	code  coder
	// fireKeyPart is the key of //idem:fire, for its lookup=.
	fireKeyPart part
	// recordKey is the key of once or message, for the layers around it.
	recordKey []part
	txFaulty  bool // tx= is wrong: the mode is not known
	// title names the method in messages: Service.Pay.
	title string
}

func (c *checker) allMethods() {
	for _, g := range c.groups {
		if g.guards() {
			c.method(g)
		}
	}
	c.promoted()
}

// method checks one guarded method and adds it to the model.
func (c *checker) method(g *group) {
	m := &method{checker: c, g: g, model: &model.Method{CtxParam: -1, TxParam: -1}}
	ident, ftype := m.declared()
	if ident == nil {
		return
	}
	fn, ok := c.p.Info.Defs[ident].(*types.Func)
	if !ok {
		m.notResolved(ident)
		return
	}
	m.fn, m.sig = fn, fn.Signature()
	m.model.Pos, m.model.Name, m.title = c.p.Pos(ident.Pos()), ident.Name, ident.Name
	if ident.Name == "_" {
		m.fail(diag.New(diag.CodeSignature, m.model.Pos, "a blank function or method can't be called, so it can't be guarded"))
		return
	}
	if !m.owner() {
		return
	}
	if m.svc != nil {
		m.title = m.svc.model.Name + "." + ident.Name
	}
	m.stack()
	if !m.signature(ftype) {
		return
	}
	m.expr = m.newScope()
	m.context()
	m.transaction()
	m.operation()
	m.onceLayer()
	m.messageLayer()
	m.fireLayer()
	m.uniqueLayer()
	m.lockLayer()
	m.tokenLayer()
	m.requestLayer()
	if m.svc != nil {
		m.svc.model.Methods = append(m.svc.model.Methods, m.model)
		c.guarded = append(c.guarded, guarded{m.fn.Origin(), m.svc})
	} else {
		c.funcs = append(c.funcs, m.model)
	}
}

// notResolved says why there is nothing to call.
func (m *method) notResolved(ident *ast.Ident) {
	d, ok := m.g.target.Decl.(*ast.FuncDecl)
	switch {
	case ok && d.Recv == nil:
		m.fail(diag.New(diag.CodeSignature, m.p.Pos(ident.Pos()), "function %s can't be called, so it can't be guarded", ident.Name))
		return
	case ok && len(d.Recv.List) > 0:
		if err, found := m.typeError(d.Recv.List[0].Type); found {
			m.fail(err)
			return
		}
	}
	m.fail(diag.New(diag.CodeSignature, m.p.Pos(ident.Pos()), "%s can't be resolved", ident.Name))
}

// declared finds the name and the type of the guarded function in the source.
func (m *method) declared() (*ast.Ident, *ast.FuncType) {
	t := m.g.target
	if t.Kind == directive.InterfaceMethod && t.Field != nil {
		if ft, ok := t.Field.Type.(*ast.FuncType); ok && len(t.Field.Names) == 1 {
			return t.Field.Names[0], ft
		}
		return nil, nil
	}
	if d, ok := t.Decl.(*ast.FuncDecl); ok {
		return d.Name, d.Type
	}
	return nil, nil
}

// owner finds the wrapped type and settles how type parameters are called.
func (m *method) owner() bool {
	m.code = coder{p: m.p, file: m.g.file, tparams: map[types.Object]string{}}
	var obj *types.TypeName
	var at ast.Node
	switch t := m.g.target; {
	case t.Owner != nil:
		obj, _ = m.p.Info.Defs[t.Owner.Name].(*types.TypeName)
		at = t.Owner.Name
	case m.sig.Recv() != nil:
		d, _ := t.Decl.(*ast.FuncDecl)
		at = d.Recv.List[0].Type
		obj = receiverType(m.sig.Recv().Type())
		m.receiver(d)
	default:
		return m.function()
	}
	if obj == nil || obj.Pkg() != m.p.Types {
		if e, ok := at.(ast.Expr); ok {
			if err, found := m.typeError(e); found {
				m.fail(err)
				return false
			}
		}
		m.fail(diag.New(diag.CodeReceiver, m.p.Pos(at.Pos()), "the type of %s can't be resolved", m.title))
		return false
	}
	m.svc = m.service(obj)
	if m.svc == nil {
		m.fail(diag.New(diag.CodeReceiver, m.p.Pos(at.Pos()), "%s can't be wrapped: %s", obj.Name(), whyNotWrapped(obj)).
			WithHint("methods are guarded on structs and interfaces"))
		return false
	}
	if rtp := m.sig.RecvTypeParams(); rtp != nil {
		for i := range rtp.Len() {
			if i < len(m.svc.model.TypeParams) {
				m.code.tparams[rtp.At(i).Obj()] = m.svc.model.TypeParams[i].Name
			}
		}
	}
	return true
}

func (m *method) receiver(d *ast.FuncDecl) {
	_, m.model.PtrRecv = types.Unalias(m.sig.Recv().Type()).(*types.Pointer)
	if list := d.Recv.List; len(list) == 1 && len(list[0].Names) == 1 && list[0].Names[0].Name != "_" {
		m.model.Recv = list[0].Names[0].Name
	}
}

// function accepts a plain function.
func (m *method) function() bool {
	d, ok := m.g.target.Decl.(*ast.FuncDecl)
	if !ok {
		return false
	}
	if name := d.Name.Name; name == "_" || name == "main" && m.p.Name == "main" {
		m.notResolved(d.Name)
		return false
	}
	m.model.TypeParams = m.typeParams(d.Type.TypeParams)
	return true
}

// receiverType is the defined type behind a receiver, through pointer and alias.
func receiverType(t types.Type) *types.TypeName {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}
