package sqltext

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// writer writes one statement in one dialect and notes its arguments.
type writer struct {
	d    *dialect
	b    strings.Builder
	args []int
	// given are the parameters that fragments name.
	given []model.SQLParam
}

func (w *writer) text(s string) { w.b.WriteString(s) }

// arg writes a placeholder. Each occurrence has one of its own, so that each has
// the type of its place on Postgres.
func (w *writer) arg(n int) {
	w.args = append(w.args, n)
	w.text(w.d.placeholder(len(w.args)))
}

// predicate writes AND (fragment), or nothing.
func (w *writer) predicate(f model.Frag, params int) {
	if len(f) > 0 {
		w.text(" AND (")
		w.frag(f, params)
		w.text(")")
	}
}

// frag writes a fragment; params is the number of its first parameter.
func (w *writer) frag(f model.Frag, params int) {
	for i, t := range f {
		switch t.Kind {
		case model.FragName:
			w.text(w.d.quote(t.Text))
		case model.FragParam:
			w.param(f, i, params)
		case model.FragValue:
			w.value(t.Value)
		case model.FragText:
			w.text(w.d.text(t.Text))
		default:
			w.text(t.Text)
		}
	}
}

// param writes the parameter f[i].
func (w *writer) param(f model.Frag, i, params int) {
	n, typ := f[i].Param, ""
	if w.d == &postgres && n < len(w.given) && nullTested(f, i) {
		typ = postgresType(w.given[n])
	}
	if typ == "" {
		w.arg(params + n)
		return
	}
	w.text("CAST(")
	w.arg(params + n)
	w.text(" AS " + typ + ")")
}

// value writes a constant; a sign in front of a negative one must not make it a
// comment.
func (w *writer) value(v model.SQLValue) {
	if v.Number && strings.HasPrefix(v.Text, "-") {
		w.text("(" + v.Text + ")")
		return
	}
	w.text(w.d.literal(v))
}
