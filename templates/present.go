package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// An expression of a directive is evaluated once (K1), also where getters stand on the
// way to it: each of their answers is compared with nil and then used, so it is held in
// a variable.

// getter is a call whose answer a variable holds.
type getter struct{ text, name string }

// gate is one comparison with nil on the way to a value.
type gate struct {
	held  *jen.Statement // name := req.GetOrder() before it; nil for none
	conds []*jen.Statement
}

// gates are the comparisons of guards, outermost first. From here on w.code writes the
// variable of a getter for its call.
func (w *wrapper) gates(guards []model.Code) []gate {
	var list []gate
	for _, g := range guards {
		call := w.code(g)
		switch {
		case isCall(g):
			name := w.sc.Local(w.variable(model.Part{Text: w.sc.Code(g)}))
			list = append(list, gate{held: jen.Id(name).Op(":=").Add(call)})
			w.getters = append(w.getters, getter{text: w.heldText(w.sc.Code(g)), name: name})
			call = jen.Id(name)
		case len(list) == 0:
			list = append(list, gate{})
		}
		last := &list[len(list)-1]
		last.conds = append(last.conds, call)
	}
	return list
}

// isCall tells whether an expression asks more than fields.
func isCall(c model.Code) bool {
	for _, t := range c {
		if t.Kind == model.TokText && strings.Contains(t.Text, "(") {
			return true
		}
	}
	return false
}

// ifPresent runs a statement where no guard is nil.
func (w *wrapper) ifPresent(guards []model.Code, then func() jen.Code) jen.Code {
	mark := len(w.getters)
	list := w.gates(guards)
	body := then()
	for i := len(list) - 1; i >= 0; i-- {
		cond := compare(list[i].conds, "!=", "&&")
		if list[i].held != nil {
			cond = jen.Add(list[i].held, jen.Op(";"), cond)
		}
		body = jen.If(cond).Block(body)
	}
	w.getters = w.getters[:mark] // they end with their blocks
	return body
}

// requirePresent ends the function at hand with refuse while a guard is nil. What it found not
// to be nil is known below.
func (w *wrapper) requirePresent(guards []model.Code, refuse func() []jen.Code) []jen.Code {
	var stmts []jen.Code
	for _, g := range w.gates(guards) {
		if g.held != nil {
			stmts = append(stmts, g.held)
		}
		stmts = append(stmts, jen.If(compare(g.conds, "==", "||")).Block(refuse()...))
	}
	for _, g := range guards {
		w.present = append(w.present, names.Identity(g))
	}
	return stmts
}

func compare(conds []*jen.Statement, op, and string) *jen.Statement {
	cond := jen.Null()
	for i, c := range conds {
		if i > 0 {
			cond = cond.Op(and)
		}
		cond = cond.Add(c).Op(op).Nil()
	}
	return cond
}

// heldText is an expression with the variables of getters for their calls.
func (w *wrapper) heldText(text string) string {
	for _, g := range w.getters { // an inner one is written in terms of those before it
		text = replaceExpr(text, g.text, g.name)
	}
	return text
}

// replaceExpr replaces an expression that begins with a name and is a part of text:
// never the end of a longer name or selector, nor the beginning of a longer name.
func replaceExpr(text, expr, by string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, expr)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(expr)
		b.WriteString(text[:i])
		if i > 0 && (isNamePart(text[i-1]) || text[i-1] == '.') || end < len(text) && isNamePart(text[end]) && isNamePart(text[end-1]) {
			b.WriteString(expr)
		} else {
			b.WriteString(by)
		}
		text = text[end:]
	}
}

// isNamePart tells whether a byte belongs to an identifier; all of a letter beyond ASCII do.
func isNamePart(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
