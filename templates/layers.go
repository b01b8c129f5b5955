package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// layer is one scheme as it stands around a method: a row of the stack.
type layer struct {
	// on tells whether the method has the layer.
	on func(m *model.Method) bool
	// needs are the parts that the layer asks of the constructor.
	needs func(e *emitter, m *model.Method) []part
	// prepare freezes keys and other values once, above all layers (K1); nil for none.
	prepare func(w *wrapper) []jen.Code
	// wrap puts the layer around what stands inside it. It calls inner exactly
	// once, where it builds the function that runs it.
	wrap func(w *wrapper, inner func() block) block
	// label is the layer in a doc comment: once (key orderID).
	label func(m *model.Method) string
	// inTx tells that the layer's writes belong to the method's transaction.
	inTx bool
}

// block is a piece of a body: statements, and the results it returns — the
// method's single result (see wrapper.resultType) and an error, either as two
// expressions or as one call that returns both.
type block struct {
	stmts  []jen.Code
	result []jen.Code
}

// returns are the statements of a block that ends the function at hand: one that
// returns the method's single result and an error, or an error alone.
func (w *wrapper) returns(b block) []jen.Code {
	stmts := b.stmts[:len(b.stmts):len(b.stmts)]
	switch {
	case !w.bare:
		return append(stmts, jen.Return(b.result...))
	case len(b.result) == 2:
		return append(stmts, jen.Return(b.result[1]))
	}
	return append(stmts,
		jen.List(jen.Id("_"), jen.Id(w.errName())).Op(":=").Add(b.result...),
		jen.Return(jen.Id(w.errName())))
}

// nothing is the block of a method without results that returns an error.
func (w *wrapper) nothing(err jen.Code) block {
	return block{result: []jen.Code{w.zeroResult(), err}}
}

// stack is every layer, outermost first, in the order that holds whatever order
// directives are written in:
//
//	request → token → lock → [begin] → once/message → fire → business → unique → [commit]
func stack() []layer {
	return []layer{
		requestLayer, tokenLayer, lockLayer, uniqueTxLayer, beginLayer,
		onceLayer, messageLayer, fireLayer, uniqueLayer, businessLayer,
	}
}

// layersOf returns the layers of a method, outermost first.
func layersOf(m *model.Method) []layer {
	var list []layer
	for _, l := range stack() {
		if l.on(m) {
			list = append(list, l)
		}
	}
	return list
}

// nest builds the blocks of the layers around each other.
func (w *wrapper) nest(layers []layer) block {
	return layers[0].wrap(w, func() block { return w.nest(layers[1:]) })
}

// none is the needs of a layer that asks for nothing.
func none(*emitter, *model.Method) []part { return nil }
