package check

import (
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/spec"
)

// instantiated leaves out what is described of types that can't be: instances of a
// generic type with type arguments that are unknown, or that it does not take.
func (c *checker) instantiated(all []*group) []*group {
	faulty := map[string]bool{}
	for _, d := range c.p.Described {
		if _, args := spec.Instance(d.Type); len(args) == 0 {
			continue
		}
		if bad, is := c.typeError(d.Type); is {
			bad.Code, faulty[d.Name] = diag.CodeYAMLType, true
			c.fail(bad)
		}
	}
	return slices.DeleteFunc(all, func(g *group) bool { return g.target.Owner != nil && faulty[g.target.Owner.Name.Name] })
}

// declared are the types that the output declares because idem.yaml describes them.
func (c *checker) declared() []*model.Declared {
	var out []*model.Declared
	for _, d := range c.p.Described {
		k := coder{p: c.p, file: d.File}
		out = append(out, &model.Declared{Pos: d.Pos, Name: d.Name, Type: k.code(d.Type, c.p.Info), Alias: d.Alias, Consts: d.Consts})
	}
	return out
}

// declaredClaims are their names and those of their constants.
func (c *checker) declaredClaims() []claim {
	var out []claim
	for _, d := range c.p.Described {
		out = append(out, claim{name: d.Name, pos: d.Pos, what: "type " + d.Name})
		for _, x := range d.Consts {
			out = append(out, claim{name: x.Name, pos: x.Pos, what: "state " + x.Name, hint: "name it after its type: " + d.Name + x.Name})
		}
	}
	return out
}
