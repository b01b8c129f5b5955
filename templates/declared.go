package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// declaredTypes declares the types that no Go file declares, with their constants.
func (e *emitter) declaredTypes() []jen.Code {
	var decls []jen.Code
	for _, d := range e.pkg.Declared {
		typ := jen.Type().Id(d.Name)
		if d.Alias {
			typ.Op("=")
		}
		decls = append(decls, doc(declaredDoc(d)).Line().Add(typ.Add(e.code(d.Type))))
		if len(d.Consts) == 0 {
			continue
		}
		var consts []jen.Code
		for _, c := range d.Consts {
			consts = append(consts, jen.Id(c.Name).Id(d.Name).Op("=").Id(c.Value))
		}
		decls = append(decls, doc("States of "+d.Name+".").Line().Const().Defs(consts...))
	}
	return decls
}

func declaredDoc(d *model.Declared) string {
	if len(d.Consts) > 0 {
		return d.Name + " is a state as the column holds it; idem.yaml lists them."
	}
	return d.Name + " is described in idem.yaml."
}
