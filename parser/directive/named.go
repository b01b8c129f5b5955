package directive

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Named is one element of params=tenant:int64 (a parameter and its type) or of
// args=tenant:req.TenantID (a parameter and its value).
type Named struct {
	Name Name
	Expr Expr
}

func (n Named) ident() string { return n.Name.Text }
func (n Named) at() model.Pos { return n.Name.Pos }

// named parses name:expression.
func (d *decoder) named(arg *ArgSpec, t Text) (Named, bool) {
	name, value, found := cutByte(t, ':')
	name, value = name.Trim(), value.Trim()
	if !found {
		d.add(diag.New(diag.CodeBadValue, t.Pos(), "%q gives no %s to a parameter", t.S, arg.form).
			WithHint("write %s=name:%s", arg.Name, arg.form))
		return Named{}, false
	}
	n, ok := d.parameter(name)
	if !ok {
		return Named{}, false
	}
	if value.S == "" {
		d.add(diag.New(diag.CodeMissingValue, value.Pos(), "%s of %s missing", arg.form, n.Text))
		return Named{}, false
	}
	e, ok := d.expression(arg, value)
	return Named{Name: n, Expr: e}, ok
}

// parameter parses the name of a parameter of a generated function, without its
// colon.
func (d *decoder) parameter(t Text) (Name, bool) {
	switch first, _ := utf8.DecodeRuneInString(t.S); {
	case t.S == "":
		d.add(diag.New(diag.CodeMissingValue, t.Pos(), "name of the parameter missing"))
	case !token.IsIdentifier(t.S) && !token.IsKeyword(t.S) || t.S == "_": // :type is fine in SQL
		d.add(diag.New(diag.CodeNotIdentifier, t.Pos(), "parameter %q is not a Go identifier", t.S))
	case unicode.IsUpper(first):
		d.add(diag.New(diag.CodeNotIdentifier, t.Pos(), "parameter %q begins with a capital: that names a constant of Go", t.S).
			WithHint("write %s", strings.ToLower(t.S[:1])+t.S[1:]))
	default:
		return Name{Text: t.S, Pos: t.Pos()}, true
	}
	return Name{}, false
}

// StateValue is one element of values=Created:C,Paid:P: what the column holds
// for a state.
type StateValue struct {
	State Expr
	Pos   model.Pos // of the value
	Text  string    // without quotes
	// Number and Bool tell the kind; a text is neither. What stands in quotes is
	// always a text.
	Number, Bool bool
}

func (v StateValue) ident() string { return v.State.Text }
func (v StateValue) at() model.Pos { return v.State.Pos }

// stateValue parses Constant:value.
func (d *decoder) stateValue(arg *ArgSpec, t Text) (StateValue, bool) {
	name, value, found := cutByte(t, ':')
	name, value = name.Trim(), value.Trim()
	if !found {
		d.add(diag.New(diag.CodeBadValue, t.Pos(), "%q gives no value to a state", t.S).
			WithHint("write %s=Created:C,Paid:P, a constant and what the column holds", arg.Name))
		return StateValue{}, false
	}
	e, ok := d.constant(name, "state")
	if !ok {
		return StateValue{}, false
	}
	v := StateValue{State: e, Pos: value.Pos(), Text: value.S}
	if value.S == "" {
		d.add(diag.New(diag.CodeMissingValue, value.Pos(), "value of %s missing", e.Text).WithHint("a column that holds an empty text can't tell a state from a missing one"))
		return StateValue{}, false
	}
	if strings.ContainsAny(value.S, "'\"`") {
		v.Text, ok = unquoteValue(value.S)
		if !ok {
			d.add(diag.New(diag.CodeBadValue, value.Pos(), "%s is not one quoted text", value.S).WithHint("write 'text'; a quote inside is written twice"))
		}
		return v, ok
	}
	v.Bool = value.S == "true" || value.S == "false"
	digits := strings.TrimPrefix(value.S, "-")
	if strings.Trim(digits, "0123456789") != "" || v.Bool {
		return v, true
	}
	if n, err := strconv.ParseInt(value.S, 10, 64); err != nil || strconv.FormatInt(n, 10) != value.S {
		d.add(diag.New(diag.CodeBadValue, value.Pos(), "%s is not written as a 64-bit number is", value.S).WithHint("put it into quotes if the column holds text: '%s'", value.S))
		return v, false
	}
	v.Number = true
	return v, true
}

// unquoteValue decodes 'text' as SQL does, and "text" and `text` as Go does.
func unquoteValue(s string) (string, bool) {
	if s[0] != '\'' {
		text, err := strconv.Unquote(s)
		return text, err == nil
	}
	if len(s) < 2 || s[len(s)-1] != '\'' {
		return "", false
	}
	inner := s[1 : len(s)-1]
	text := strings.ReplaceAll(inner, "''", "'")
	return text, strings.Count(inner, "'") == 2*strings.Count(inner, "''")
}
