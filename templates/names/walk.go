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
		if m.Message != nil {
			for _, r := range m.Message.Errors {
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
	for _, d := range pkg.Declared {
		visit(d.Type)
	}
	for _, mc := range pkg.Machines {
		machineCode(mc, visit)
	}
	for _, v := range pkg.Versions {
		versionCode(v, visit)
	}
}

func machineCode(mc *model.Machine, visit func(model.Code)) {
	visit(mc.Type)
	visit(mc.KeyType)
	for _, s := range mc.States {
		visit(s.Const)
	}
	fragCode(mc.Where, visit)
	assignCode(mc.Same, visit)
	assignCode(mc.Create, visit)
	for _, ev := range mc.Events {
		fragCode(ev.Where, visit)
		assignCode(ev.Set, visit)
	}
	for _, p := range machineParams(mc) {
		visit(p.Type)
	}
}

func versionCode(v *model.Version, visit func(model.Code)) {
	visit(v.Type)
	for _, tp := range v.TypeParams {
		visit(tp.Constraint)
	}
	for _, c := range v.Key {
		visit(c.Type)
	}
	visit(v.Column.Type)
	fragCode(v.Where, visit)
	for _, u := range v.Updates {
		fragCode(u.Where, visit)
		assignCode(u.Set, visit)
		for _, c := range u.Columns {
			visit(c.Type)
		}
	}
	for _, p := range versionParams(v) {
		visit(p.Type)
	}
}

// machineParams are the parameters of the SQL of a machine, with repeats.
func machineParams(mc *model.Machine) []model.SQLParam {
	list := append(mc.Params[:len(mc.Params):len(mc.Params)], mc.CreateParams...)
	for _, ev := range mc.Events {
		list = append(list, ev.Params...)
	}
	return list
}

func versionParams(v *model.Version) []model.SQLParam {
	list := v.Params[:len(v.Params):len(v.Params)]
	for _, u := range v.Updates {
		list = append(list, u.Params...)
	}
	return list
}

// ForEachSQLParam visits every parameter that the SQL of machines and versions
// names: they are parameters of generated functions, with repeats.
func ForEachSQLParam(pkg *model.Package, visit func(model.SQLParam)) {
	for _, mc := range pkg.Machines {
		for _, p := range machineParams(mc) {
			visit(p)
		}
		for _, ev := range mc.Events {
			if ev.Dynamic {
				visit(model.SQLParam{Name: ev.Target})
			}
		}
	}
	for _, v := range pkg.Versions {
		for _, p := range versionParams(v) {
			visit(p)
		}
	}
}

func assignCode(list []model.Assign, visit func(model.Code)) {
	for _, a := range list {
		fragCode(a.Expr, visit)
	}
}

// fragCode visits the constants of Go in a fragment.
func fragCode(f model.Frag, visit func(model.Code)) {
	for _, tok := range f {
		visit(tok.Const)
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
		for _, a := range m.Fire.Args {
			visit(a.Expr)
			for _, g := range a.Guards {
				visit(g)
			}
		}
		lookupCode(m.Fire.Lookup, visit)
	}
	layerCode(m, visit)
}

// layerCode visits the code of the layers beside once and fire.
func layerCode(m *model.Method, visit func(model.Code)) {
	if m.Request != nil {
		stringCode(m.Request.Principal, visit)
	}
	if m.Token != nil {
		stringCode(m.Token.Value, visit)
		stringCode(m.Token.Bind, visit)
	}
	if m.Lock != nil {
		for _, p := range m.Lock.Key {
			partCode(p, visit)
		}
		lookupCode(m.Lock.Check, visit)
	}
	if m.Message != nil {
		for _, p := range m.Message.Key {
			partCode(p, visit)
		}
	}
	if m.Unique != nil {
		lookupCode(m.Unique.Lookup, visit)
	}
}

func stringCode(x *model.StringExpr, visit func(model.Code)) {
	if x == nil {
		return
	}
	visit(x.Expr)
	for _, g := range x.Guards {
		visit(g)
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
		if a.Part != nil {
			partCode(*a.Part, visit)
		}
	}
}
