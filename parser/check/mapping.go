package check

import (
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// namedStates resolves the states that only arguments of the machine name, before
// any transition is expanded: a wildcard means them as well.
func (m *machine) namedStates() {
	args := m.g.machine
	m.mapped = map[*state]directive.StateValue{}
	for _, v := range args.Values.Elems {
		s := m.resolve(v.State)
		if s == nil {
			continue
		}
		if first, twice := m.mapped[s]; twice { // under two names: pb.Paid and an alias of it
			m.fault(diag.New(diag.CodeStateMapping, v.State.Pos, "%s is given two values", s.Ident).WithRelated(first.State.Pos, "the first is here"))
			continue
		}
		m.mapped[s] = v
	}
	m.deadEnds, m.unreachables = m.optOut(args.DeadEnd), m.optOut(args.Unreachable)
}

// optOut resolves the states for which a check of the graph is off.
func (m *machine) optOut(list directive.List[directive.Expr]) map[*model.State]directive.Expr {
	out := map[*model.State]directive.Expr{}
	for _, e := range list.Elems {
		if s := m.resolve(e); s != nil {
			out[s.State] = e
		}
	}
	return out
}

// mapping takes over what values= says the column holds: for every state, each
// value once, all of one kind.
func (m *machine) mapping() {
	args := m.g.machine
	if !args.Values.Set {
		return
	}
	var missing []string
	for _, s := range m.states {
		v, ok := m.mapped[s]
		if !ok {
			missing = append(missing, codeName(s))
			continue
		}
		s.Mapped, s.SQL = true, model.SQLValue{Text: v.Text, Number: v.Number, Bool: v.Bool}
	}
	if len(missing) > 0 && !m.bad && !m.g.faulty {
		m.fault(diag.New(diag.CodeStateMapping, args.Values.KeyPos, "values= does not say what the column holds for %s", strings.Join(missing, ", ")).
			WithHint("a mapping names every state"))
	}
	kind := func(v directive.StateValue) string {
		switch {
		case v.Number:
			return "a number"
		case v.Bool:
			return "a bool"
		}
		return "a text"
	}
	resolved := map[model.Pos]bool{}
	for _, v := range m.mapped {
		resolved[v.State.Pos] = true
	}
	seen, folded := map[string]directive.StateValue{}, map[string]directive.StateValue{}
	for i, v := range args.Values.Elems {
		if !resolved[v.State.Pos] {
			continue
		}
		if first := args.Values.Elems[0]; i > 0 && kind(v) != kind(first) {
			m.fault(diag.New(diag.CodeStateMapping, v.Pos, "the value of %s is %s, but that of %s is %s", v.State.Text, kind(v), first.State.Text, kind(first)).
				WithRelated(first.Pos, "the value of %s is here", first.State.Text).WithHint("a column holds values of one kind; 'quotes' make a text of a number"))
			continue
		}
		if why := badText(v.Text); why != "" && !v.Number && !v.Bool {
			m.fault(diag.New(diag.CodeStateValue, v.Pos, "the value of %s doesn't fit a column: %s", v.State.Text, why))
			continue
		}
		if first, twice := seen[v.Text]; twice {
			m.fault(diag.New(diag.CodeStateMapping, v.Pos, "%s and %s have the same value %s", first.State.Text, v.State.Text, v.Text).
				WithRelated(first.Pos, "it is here first"))
			continue
		}
		seen[v.Text] = v
		fold := strings.ToLower(v.Text)
		if first, ok := folded[fold]; ok {
			m.fail(diag.New(diag.CodeStateValue, v.Pos, "the values of %s and %s differ only in case, which a column of MySQL or MariaDB does not see by default", first.State.Text, v.State.Text).
				WithRelated(first.Pos, "the other value is here").WithHint("give the column a binary collation").AsWarning())
			continue
		}
		folded[fold] = v
	}
}

// badText says why a column can't hold a text so that it comes back and compares as
// it was, or "".
func badText(text string) string {
	switch {
	case text == "":
		return "it is empty"
	case len(text) > maxStateBytes:
		return "it is longer than 255 bytes"
	case !utf8.ValidString(text):
		return "it is not UTF-8"
	case strings.ContainsRune(text, 0):
		return "it has a NUL character"
	case strings.Trim(text, " ") != text:
		return "it begins or ends with a space"
	}
	return ""
}
