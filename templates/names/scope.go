package names

import (
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Scope holds the identifiers of one generated function: the wrapper of a
// method, or the function that a plain function's constructor returns.
type Scope struct {
	// Params are the names of the method's parameters, by index.
	Params []string
	// Recv is what TokRecv stands for: s.serviceNext.
	Recv string

	table *Table
	used  Set
}

// Scope settles the parameters of a method. Each keeps its name unless it has
// none or its name hides something that the body must say: a type of a result,
// nil, a type parameter, or one of the outer names.
func (t *Table) Scope(m *model.Method, tps []model.TypeParam, outer ...string) *Scope {
	s := &Scope{table: t, used: NewSet([]string{"nil", "error"}, outer)}
	for _, tp := range tps {
		s.used.Add(tp.Name)
	}
	bodyCode(m, func(c model.Code) { s.used.Add(t.outer(c)...) })
	if len(m.ScopeGuards) > 0 || m.Token != nil || m.Request != nil {
		s.used.Add("string") // the type of a local that a scope or a token is put together in, or of a principal
	}
	if m.Lock != nil {
		s.used.Add("bool") // of what the check returns
	}

	keep := NewSet()
	for _, p := range m.Params {
		if !s.used.Has(p.Name) {
			keep.Add(p.Name)
		}
	}
	s.Params = make([]string, len(m.Params))
	for i, p := range m.Params {
		if keep.Has(p.Name) {
			s.Params[i] = p.Name
			continue
		}
		s.Params[i] = t.fresh(unnamed(m, i), s.used, keep)
		keep.Add(s.Params[i])
	}
	s.used.Add(s.Params...)
	return s
}

// unnamed is the wish for a parameter that can't keep its name or has none.
func unnamed(m *model.Method, i int) string {
	if name := m.Params[i].Name; name != "" && name != "_" {
		return name
	}
	switch {
	case m.Request != nil:
		return [...]string{"w", "r"}[i]
	case i == m.CtxParam:
		return "ctx"
	case i == m.TxParam:
		return "tx"
	}
	return "arg" + strconv.Itoa(i)
}

// outer returns the names of package scope and of the universe that the code
// refers to.
func (t *Table) outer(c model.Code) []string {
	var out []string
	for _, tok := range c {
		if tok.Kind != model.TokText {
			continue
		}
		for _, id := range identifiers(tok.Text) {
			if Predeclared(id) || t.scope.Has(id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// fresh is Fresh that also keeps clear of the file's imports.
func (t *Table) fresh(want string, taken ...Set) string {
	name := Fresh(want, taken...)
	for n := 2; t.has(name); n++ {
		name = Fresh(want+strconv.Itoa(n), taken...)
	}
	return name
}

// Local declares a local of the generated code and returns its name: want, or
// want2, … where that is a parameter, an import, or a name the body refers to.
func (s *Scope) Local(want string) string {
	name := s.table.fresh(want, s.used)
	s.used.Add(name)
	return name
}

// Avoid keeps locals clear of what a piece of code refers to, without renaming
// parameters.
func (s *Scope) Avoid(c model.Code) { s.used.Add(s.table.outer(c)...) }

// Common returns a local name that is free in all scopes and declares it in
// each: the receiver of a type's methods has one name throughout.
func Common(wants []string, scopes ...*Scope) string {
	sets := make([]Set, len(scopes))
	for i, s := range scopes {
		sets[i] = s.used
	}
	name := ""
	for _, w := range wants {
		if name = w; !Predeclared(w) && !inAny(w, sets) && (len(scopes) == 0 || !scopes[0].table.has(w)) {
			break
		}
		name = ""
	}
	if name == "" {
		name = Fresh(wants[len(wants)-1], sets...)
		if len(scopes) > 0 {
			name = scopes[0].table.fresh(name, sets...)
		}
	}
	for _, s := range scopes {
		s.used.Add(name)
	}
	return name
}

// Local returns a name for a local of generated code outside any user's method:
// it hides neither package scope nor an import.
func (t *Table) Local(want string, taken ...Set) string {
	return t.fresh(want, append([]Set{t.scope}, taken...)...)
}

// Code writes a type or an expression as it stands in this function.
func (s *Scope) Code(c model.Code) string { return s.table.code(c, s) }

// Code writes a type or an expression at package scope, where there are no
// parameters and no receiver.
func (t *Table) Code(c model.Code) string { return t.code(c, nil) }

func (t *Table) code(c model.Code, s *Scope) string {
	var b strings.Builder
	for _, tok := range c {
		switch tok.Kind {
		case model.TokText:
			b.WriteString(oneLine(tok.Text))
		case model.TokQual:
			if pkg := t.Use(tok.Import.Path); pkg != "" {
				b.WriteString(pkg + ".")
			}
			b.WriteString(tok.Text)
		case model.TokParam:
			b.WriteString(s.Params[tok.Index])
		case model.TokRecv:
			b.WriteString(s.Recv)
		}
	}
	return b.String()
}

// oneLine joins the lines of a type that was printed on several.
func oneLine(text string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	var b strings.Builder
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		if i > 0 {
			l = strings.TrimLeft(l, " \t")
			prev := strings.TrimRight(b.String(), " \t")
			opens := b.Len() > 0 && (prev == "" || strings.HasSuffix(prev, "{") || strings.HasSuffix(prev, "(") || strings.HasSuffix(prev, ","))
			closes := l == "" || strings.HasPrefix(l, "}") || strings.HasPrefix(l, ")")
			if opens || closes {
				l = " " + l
			} else {
				l = "; " + l
			}
		}
		b.WriteString(l)
	}
	return b.String()
}

// Same tells whether two pieces of code say the same, whatever names files
// give to imports.
func Same(a, b model.Code) bool {
	return Identity(a) == Identity(b)
}

// Identity is a text that is equal for equal code.
func Identity(c model.Code) string {
	var b strings.Builder
	for _, tok := range c {
		switch tok.Kind {
		case model.TokText:
			b.WriteString(tok.Text)
		case model.TokQual:
			b.WriteString(strconv.Quote(tok.Import.Path) + "." + tok.Text)
		case model.TokParam:
			b.WriteString("$" + strconv.Itoa(tok.Index))
		case model.TokRecv:
			b.WriteString("$recv")
		}
	}
	return b.String()
}
