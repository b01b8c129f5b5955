package templates

import (
	"go/token"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// guardCall holds the names of one function of a guard. The user's parameters keep
// their names; what generated code adds steps aside for them.
type guardCall struct {
	b      *machineBuilder
	used   names.Set
	params []guardParam
}

// guardParam is one parameter, in the order of the signature.
type guardParam struct {
	name string
	typ  *jen.Statement
	same string // equal for parameters whose types are written the same
	sql  bool   // an argument of the SQL, behind the key
}

// call starts a function whose SQL has these parameters. body are the names of
// package scope that its body refers to.
func (b *machineBuilder) call(params []model.SQLParam, body ...string) (*guardCall, []string) {
	c := &guardCall{b: b, used: names.NewSet(body)}
	list := make([]string, len(params))
	for i, p := range params {
		if !token.IsKeyword(p.Name) && !c.used.Has(p.Name) {
			list[i] = p.Name
			c.used.Add(p.Name)
		}
	}
	for i, p := range params {
		if list[i] == "" {
			list[i] = c.local(p.Name)
		}
	}
	return c, list
}

// local declares a local of the function.
func (c *guardCall) local(want string) string {
	name := c.b.table.Local(want, c.used)
	c.used.Add(name)
	return name
}

// add appends a parameter.
func (c *guardCall) add(name string, typ *jen.Statement, same string, sql bool) {
	c.params = append(c.params, guardParam{name: name, typ: typ, same: same, sql: sql})
}

// addSQL appends the parameters of the SQL behind the key: expected version where
// it is compared, fence, then the user's own. It returns the names of the first
// two, "" for none.
func (c *guardCall) addSQL(params []model.SQLParam, list []string, compared bool) (version, fence string) {
	if compared && c.b.m.Version != "" {
		version = c.local("version")
		c.add(version, jen.Int64(), "int64", true)
	}
	if c.b.m.Fence != "" {
		fence = c.local("fence")
		c.add(fence, jen.Int64(), "int64", true)
	}
	c.addOwn(params, list)
	return version, fence
}

// addOwn appends the user's parameters.
func (c *guardCall) addOwn(params []model.SQLParam, list []string) {
	for i, p := range params {
		c.add(list[i], c.b.code(p.Type), identity(p.Type), true)
	}
}

// identity is equal for types that are written the same.
func identity(c model.Code) string { return names.Identity(c) }

// signature are the parameters as they are declared: neighbours of one type share it.
func (c *guardCall) signature() []jen.Code {
	var list []jen.Code
	for i, p := range c.params {
		if i+1 < len(c.params) && p.same == c.params[i+1].same {
			list = append(list, jen.Id(p.name))
			continue
		}
		list = append(list, jen.Id(p.name).Add(p.typ))
	}
	return list
}

// args are the arguments of the SQL.
func (c *guardCall) args() []jen.Code {
	var list []jen.Code
	for _, p := range c.params {
		if p.sql {
			list = append(list, jen.Id(p.name))
		}
	}
	return list
}

// rowParams appends ctx, db and what selects the row.
func (c *guardCall) rowParams(id string, many bool) (ctx, db, key string) {
	ctx, db, key = c.local("ctx"), c.local("db"), c.local(id)
	c.add(ctx, c.b.ctxType(), "context", false)
	c.add(db, c.b.idem("DB"), "db", false)
	typ, same := c.b.keyType(), identity(c.b.keyCode())
	if many {
		typ, same = jen.Index().Add(typ), "[]"+same
	}
	c.add(key, typ, same, false)
	return ctx, db, key
}
