package check

import (
	"go/token"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/load"
)

// claim is a name of package scope that the generated code will declare because
// callers write it.
type claim struct {
	name string
	pos  model.Pos // of what asks for it
	what string
	hint string
}

// collisions refuses names that are taken by hand-written code or asked for
// twice, and methods that would hide others.
func (c *checker) collisions() {
	first := map[string]claim{}
	claims := c.claims()
	switch c.p.Variant {
	case load.Plain:
		c.plain[c.p.Path] = claims
	case load.InTest:
		for _, x := range c.plain[c.p.Path] {
			first[x.name] = x
		}
	}
	for _, x := range claims {
		d := diag.New(diag.CodeNameCollision, x.pos, "%s needs the name %s", x.what, x.name)
		place, taken := c.p.Declared[x.name]
		imported, isImport := c.p.FileNames[x.name]
		other, twice := first[x.name]
		switch {
		case taken:
			d.Message += ", which the package declares already"
			d = d.WithRelated(place, "it is declared here")
		case isImport:
			d.Message += ", which a file of the package gives to an import"
			d = d.WithRelated(imported, "it is imported here")
		case twice:
			d.Message += ", which " + other.what + " needs as well"
			d = d.WithRelated(other.pos, "%s", other.what)
		default:
			first[x.name] = x
			continue
		}
		if x.hint != "" {
			d = d.WithHint("%s", x.hint)
		}
		c.fail(d)
	}
	for _, s := range c.services {
		c.joinedForms(s)
	}
}

// claims are the names that callers of the generated code use, in source order
// of what asks for them.
func (c *checker) claims() []claim {
	out := c.declaredClaims()
	add := func(pos model.Pos, what, hint string, names ...string) {
		for _, n := range names {
			out = append(out, claim{n, pos, what, hint})
		}
	}
	for _, m := range c.machines {
		if m.twice {
			continue
		}
		n, what := m.name, "state machine "+m.name
		const hint = "give the state machine another name="
		add(m.model.Pos, what, hint, n+"Event", n+"Guard", prefixed("new", n)+"Guard", prefixed("parse", n), n+"States")
		if !m.model.Methods {
			add(m.model.Pos, what, hint, n+"Valid", n+"Final", n+"Can", n+"CanTransition", n+"Next", n+"Events")
		}
		seen := map[string]bool{} // two events of one identifier are reported as such
		for _, ev := range m.model.Events {
			if seen[ev.Ident] {
				continue
			}
			seen[ev.Ident] = true
			add(ev.Pos, "event "+ev.Name+" of "+m.name, "name the event after what happens (Pay), not after the state (Paid), or give the state machine another name=",
				n+upper(ev.Ident))
			if ev.Once {
				add(ev.Pos, "the once form of event "+ev.Name+" of "+m.name, "rename one of them, or give the state machine another name=", n+upper(ev.Ident)+"Once")
			}
		}
	}
	for _, v := range c.versions {
		add(v.Pos, "version "+v.Name, "give the version another name=", v.Name+"Guard", prefixed("new", v.Name)+"Guard")
	}
	for _, s := range c.services {
		w := load.WrapperName(s.model.Name)
		add(s.model.Pos, "the wrapper of "+s.model.Name, "rename one of them", w, prefixed("new", w))
	}
	for _, f := range c.funcs {
		w := load.WrapperName(f.Name)
		add(f.Pos, "the guarded form of "+f.Name, "rename one of them", w)
		if f.Joins() {
			add(f.Pos, "the guarded form of "+f.Name+" that joins a transaction", "rename one of them", w+"Tx")
		}
	}
	return out
}

// prefixed puts a word before a name and keeps its visibility: NewStatus, newStatus.
func prefixed(word, name string) string {
	if token.IsExported(name) {
		return upper(word) + name
	}
	return word + upper(name)
}

func upper(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

// joinedForms refuses a method PayTx beside a guarded method Pay that takes a
// transaction: the wrapper's own PayTx would hide it.
func (c *checker) joinedForms(s *service) {
	for _, m := range s.model.Methods {
		name := m.Name + "Tx"
		if m.Joins() && s.hasMember(name) {
			c.fail(diag.New(diag.CodeNameCollision, m.Pos, "%s.%s has a form %s that joins a transaction, but %s has a member of that name", s.model.Name, m.Name, name, s.model.Name).
				WithHint("rename %s.%s", s.model.Name, name))
		}
	}
}
