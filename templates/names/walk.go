package names

import "github.com/idemgen/idemgen/internal/model"

// forEachMethod visits every guarded method and function with its type parameters.
func forEachMethod(pkg *model.Package, visit func(*model.Method, []model.TypeParam)) {
	for _, s := range pkg.Services {
		for _, m := range s.Methods {
			visit(m, s.TypeParams)
		}
	}
	for _, f := range pkg.Funcs {
		visit(f, f.TypeParams)
	}
}

// forEachCode visits every piece of code of the model that the generated file
// may contain.
func forEachCode(pkg *model.Package, visit func(model.Code)) {
	forEachMethod(pkg, func(m *model.Method, tps []model.TypeParam) {
		for _, tp := range tps {
			visit(tp.Constraint)
		}
		for _, p := range m.Params {
			visit(p.Type)
		}
		bodyCode(m, visit)
		if m.Once != nil {
			visit(m.Once.Codec)
			for _, r := range m.Once.Errors {
				visit(r.Expr)
			}
		}
		if f := m.Fire; f != nil {
			visit(f.Machine.KeyType)
			if f.MachineImport != nil {
				visit(model.Code{{Kind: model.TokQual, Import: *f.MachineImport}})
			}
		}
	})
	for _, mc := range pkg.Machines {
		visit(mc.Type)
		visit(mc.KeyType)
		for _, s := range mc.States {
			visit(s.Const)
		}
	}
}

// bodyCode visits the code that stands inside a wrapper's body, where
// parameters hide what has the same name.
func bodyCode(m *model.Method, visit func(model.Code)) {
	for _, r := range m.Results {
		visit(r.Type)
	}
	if m.TxParam >= 0 {
		visit(m.Params[m.TxParam].Type)
	}
	visit(m.CtxExpr)
	visit(m.Scope)
	for _, g := range m.ScopeGuards {
		visit(g)
	}
	for _, p := range m.Match {
		partCode(p, visit)
	}
	if m.Once != nil {
		for _, p := range m.Once.Key {
			partCode(p, visit)
		}
		lookupCode(m.Once.Lookup, visit)
	}
	if m.Fire != nil {
		visit(m.Fire.Machine.KeyType)
		partCode(m.Fire.Key, visit)
		lookupCode(m.Fire.Lookup, visit)
	}
}

func partCode(p model.Part, visit func(model.Code)) {
	visit(p.Expr)
	for _, g := range p.Guards {
		visit(g)
	}
}

func lookupCode(l *model.Lookup, visit func(model.Code)) {
	if l == nil {
		return
	}
	for _, a := range l.Args {
		visit(a.Expr)
	}
}
