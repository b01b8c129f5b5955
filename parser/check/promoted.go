package check

import (
	"go/types"

	"github.com/idemgen/idemgen/parser/diag"
)

// guarded is a method that got a layer, and the type that it is declared on.
type guarded struct {
	fn  *types.Func
	svc *service
}

// promoted refuses a wrapper that would hand out another type's guarded method:
// promoted through an embedded type it would be reached unguarded (G9).
func (c *checker) promoted() {
	owner := map[*types.Func]*service{}
	for _, g := range c.guarded {
		owner[g.fn] = g.svc
	}
	for _, s := range c.services {
		t := s.typ
		if !s.model.Interface {
			t = types.NewPointer(t)
		}
		set := types.NewMethodSet(t)
		for i := range set.Len() {
			fn, ok := set.At(i).Obj().(*types.Func)
			if !ok {
				continue
			}
			from := owner[fn.Origin()]
			if from == nil || from == s {
				continue
			}
			inner := from.model.Name + "." + fn.Name()
			c.fail(diag.New(diag.CodeReceiver, s.model.Pos, "%s embeds %s, so its wrapper would reach %s unguarded", s.model.Name, from.model.Name, inner).
				WithHint("name the field instead of embedding it, embed its wrapper, or give %s a guarded %s of its own", s.model.Name, fn.Name()).
				WithRelated(c.p.Pos(fn.Pos()), "%s is guarded here", inner))
		}
	}
}
