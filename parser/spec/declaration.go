package spec

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// declaration reads what is said of one declaration; nil when it has no name.
func (r *reader) declaration(e entry) *Declaration {
	d := &Declaration{Key: r.name(e.key)}
	owner, member, dotted := strings.Cut(d.Key.Text, ".")
	if !dotted {
		owner, member = "", owner
	}
	if dotted && !token.IsIdentifier(owner) || !token.IsIdentifier(member) {
		r.fail(diag.CodeYAMLDeclaration, e.key, "%q does not name a declaration", e.key.Value).Hint = "write Service.Pay, Create, Status or a constant of a block"
		return nil
	}
	d.Owner, d.Member = owner, member
	entries, ok := r.entries(e.value, "a mapping of directives")
	if !ok {
		return nil
	}
	if len(entries) == 0 {
		r.fail(diag.CodeYAMLShape, e.value, "nothing is said of %s", d.Key.Text).Hint = "add a directive: " + join(names())
	}
	specs := directive.Specs()
	misspelt := false
	for _, x := range entries {
		spec := specOf(specs, x.key.Value)
		switch {
		case spec != nil:
			r.directive(d, spec, x)
		case dotted || x.key.Value != typeKey && x.key.Value != statesKey:
			known := names()
			if !dotted {
				known = append(known, typeKey, statesKey)
			}
			r.unknown(x.key, known)
			misspelt = true
		}
	}
	if mark := len(r.diags); !dotted {
		r.declared(d, entries)
		d.Faulty = len(r.diags) > mark
	}
	for i := range d.Directives { // what is missing may be what is misspelt
		d.Directives[i].Faulty = d.Directives[i].Faulty || misspelt
	}
	return d
}

func specOf(specs []directive.Spec, name string) *directive.Spec {
	for i := range specs {
		if specs[i].Name == name {
			return &specs[i]
		}
	}
	return nil
}

// declared reads type: and states:, which make idemgen declare the type.
func (r *reader) declared(d *Declaration, entries []entry) {
	var typ, states *yaml.Node
	for _, e := range entries {
		switch e.key.Value {
		case typeKey:
			typ = e.value
		case statesKey:
			states = e.value
		}
	}
	switch {
	case typ == nil && states == nil:
		return
	case typ == nil: // of a type without a place of its own: that of its name
		d.Type = directive.Expr{Text: "string", Pos: d.Key.Pos, Expr: &ast.Ident{NamePos: d.Key.At, Name: "string"}}
	case !r.typ(d, typ):
		return
	}
	if states == nil {
		return
	}
	list, ok := r.entries(states, "a mapping of Go names to literals")
	if ok && len(list) == 0 {
		r.fail(diag.CodeYAMLShape, states, "states: has no state")
	}
	for _, e := range list {
		if s, ok := r.state(d, e); ok {
			d.States = append(d.States, s)
		}
	}
}

// basics are the types of states that a declaration may have, with the bits of an
// integer; signed ones are negative.
var basics = map[string]int{
	"string": 0, "int": -64, "int8": -8, "int16": -16, "int32": -32, "int64": -64,
	"uint": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "byte": 8,
}

// typ reads type: a basic type, or one of another package, perhaps an instance.
func (r *reader) typ(d *Declaration, n *yaml.Node) bool {
	const hint = "write string, an integer type, or a type of another package such as pb.OrderStatus or kv.Store[string]"
	if n.Kind != yaml.ScalarNode || n.Tag == nullTag {
		r.fail(diag.CodeYAMLType, n, "a Go type wanted, found %s", kindOf(n)).Hint = hint
		return false
	}
	s, places := r.scalar(n)
	pkg, name, dotted := strings.Cut(s, ".")
	_, basic := basics[s]
	switch {
	case basic:
		d.Type = directive.Expr{Text: s, Pos: r.pos(places[0]), Expr: &ast.Ident{NamePos: r.at(places[0]), Name: s}}
	case dotted && token.IsIdentifier(pkg) && token.IsIdentifier(name) && token.IsExported(name):
		d.Type = directive.Expr{Text: s, Pos: r.pos(places[0]), Expr: &ast.SelectorExpr{
			X:   &ast.Ident{NamePos: r.at(places[0]), Name: pkg},
			Sel: &ast.Ident{NamePos: r.at(places[len(pkg)+1]), Name: name},
		}}
	case !r.instance(d, s, places):
		r.fail(diag.CodeYAMLType, n, "%q can't be the type of %s", s, d.Key.Text).Hint = hint
		return false
	}
	d.Texts = append(d.Texts, s)
	return true
}

// instance reads an instance of a generic type of another package: kv.Store[string].
func (r *reader) instance(d *Declaration, s string, places []int) bool {
	p := pieces{}
	p.add(s, places)
	e, _, why := directive.ParseExpr(p.text(r, places[0]))
	if why != "" {
		return false
	}
	generic, args := Instance(e.Expr)
	if len(args) == 0 {
		return false
	}
	sel, ok := generic.(*ast.SelectorExpr)
	if !ok || !sel.Sel.IsExported() {
		return false
	}
	if _, ok := sel.X.(*ast.Ident); !ok {
		return false
	}
	d.Type = e
	return true
}

// Instance parts the name of a type from its type arguments; it has none where it is
// not generic.
func Instance(e ast.Expr) (name ast.Expr, args []ast.Expr) {
	switch e := e.(type) {
	case *ast.IndexExpr:
		return e.X, []ast.Expr{e.Index}
	case *ast.IndexListExpr:
		return e.X, e.Indices
	}
	return e, nil
}

// state reads one state: a Go name and a literal.
func (r *reader) state(d *Declaration, e entry) (State, bool) {
	s := State{Name: r.name(e.key)}
	if !token.IsIdentifier(s.Name.Text) || s.Name.Text == "_" {
		r.fail(diag.CodeYAMLState, e.key, "%q is not a Go identifier", s.Name.Text).Hint = "write the name of the constant: Paid: PAID"
		return s, false
	}
	if e.value.Kind != yaml.ScalarNode || e.value.Tag == nullTag {
		r.fail(diag.CodeYAMLState, e.value, "the literal of %s is missing: found %s", s.Name.Text, kindOf(e.value)).Hint = "write what the column holds: Paid: PAID"
		return s, false
	}
	start := r.start(e.value)
	s.Value = Name{Text: e.value.Value, Pos: r.pos(start), At: r.at(start)}
	bits, basic := basics[d.Type.Text]
	text := s.Value.Text
	number := e.value.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 && isNumber(text)
	switch {
	case basic && bits == 0 || !basic && !number:
		s.String, s.Literal = true, strconv.Quote(text)
	case !basic || number && fits(text, bits):
		s.Literal = text
	default:
		r.fail(diag.CodeYAMLState, e.value, "%q is not a value of %s", text, d.Type.Text)
		return s, false
	}
	return s, true
}

// isNumber tells whether a text is an integer as Go and SQL write it.
func isNumber(s string) bool {
	if s == "0" {
		return true
	}
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && digits[0] != '0' && strings.Trim(digits, "0123456789") == ""
}

func fits(s string, bits int) bool {
	if bits < 0 {
		_, err := strconv.ParseInt(s, 10, -bits)
		return err == nil
	}
	_, err := strconv.ParseUint(s, 10, bits)
	return err == nil
}

// Node is the literal as a node at its place.
func (s State) Node() ast.Expr {
	e, err := goparser.ParseExpr(s.Literal)
	if err != nil {
		return &ast.BadExpr{From: s.Value.At, To: s.Value.At}
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			n.ValuePos, n.ValueEnd = s.Value.At, token.NoPos
		case *ast.UnaryExpr:
			n.OpPos = s.Value.At
		}
		return true
	})
	return e
}
