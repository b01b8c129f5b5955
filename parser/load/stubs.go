package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/idemgen/idemgen/parser/directive"
)

// stubs declares the types that this run will generate where annotated code may
// mention them already (G3): their true declarations are in the file that is
// left out, and it may be missing or stale.
func (l *loader) stubs(n *node) {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", n.name)
	seen := map[string]bool{}
	declare := func(name, text string) {
		if name == "" || seen[name] || n.decls[name] != nil {
			return
		}
		seen[name] = true
		fmt.Fprintf(&b, text, name)
	}
	for _, f := range n.target.Files {
		for _, d := range f.Directives {
			switch d.Name {
			case "statemachine":
				base := machineName(d.Args().(*directive.StateMachine), d.Target)
				declare(joined(base, "Event"), "type %[1]s uint8\nfunc (%[1]s) String() string\n")
				declare(joined(base, "Guard"), "type %s struct{}\n")
			case "once", "fire", "token", "lock", "unique", "request", "message":
				declare(wrapperName(d.Target), "type %s struct{}\n")
			}
		}
	}
	if len(seen) > 0 {
		n.add(l.synthetic("idemgen:"+n.path, b.String()))
	}
}

func joined(base, suffix string) string {
	if base == "" {
		return ""
	}
	return base + suffix
}

func machineName(m *directive.StateMachine, t directive.Target) string {
	if m.Name.Set {
		return m.Name.V
	}
	if ts, ok := t.Spec.(*ast.TypeSpec); ok {
		return ts.Name.Name
	}
	return ""
}

// wrapperName is the wrapper of the type that a directive's method belongs to.
func wrapperName(t directive.Target) string {
	base := ""
	switch {
	case t.Owner != nil:
		base = t.Owner.Name.Name
	default:
		if d, ok := t.Decl.(*ast.FuncDecl); ok && d.Recv != nil {
			base = RecvName(d)
		}
	}
	return WrapperName(base)
}

// WrapperName is the name of the wrapper that idemgen writes for a type or
// function: IdempotentService, or idempotentService for service.
func WrapperName(name string) string {
	switch {
	case name == "":
		return ""
	case token.IsExported(name):
		return "Idempotent" + name
	}
	return "idempotent" + strings.ToUpper(name[:1]) + name[1:]
}
