package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// businessLayer is the wrapped method itself: the innermost row.
var businessLayer = layer{
	on:    func(*model.Method) bool { return true },
	needs: none,
	wrap: func(w *wrapper, _ func() block) block {
		args := make([]jen.Code, len(w.m.Params))
		for i := range w.m.Params {
			switch i {
			case w.m.CtxParam:
				args[i] = jen.Id(w.useCtx())
			case w.m.TxParam:
				args[i] = jen.Id(w.useTx())
			default:
				args[i] = jen.Id(w.sc.Params[i])
			}
		}
		if w.m.Variadic {
			last := len(args) - 1
			args[last] = jen.Add(args[last]).Op("...")
		}
		return w.single(w.next(w.m.Name).Call(args...), true)
	},
	label: func(*model.Method) string { return "" },
}
