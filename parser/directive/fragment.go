package directive

import (
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/sqlfrag"
)

// Fragment is a predicate in SQL as written, such as tenant_id = :tenant.
type Fragment struct {
	Text   string
	Pos    model.Pos // first byte
	Tokens []SQLToken
}

// SQLToken is a token of a fragment and where it was written.
type SQLToken struct {
	sqlfrag.Token
	Pos model.Pos
	// Const is what a token of kind sqlfrag.Const names: Paid or pb.Paid.
	Const Expr
}

// Assignments is a list of assignments in SQL as written, such as
// paid_at = :paidAt, attempts = attempts + 1.
type Assignments struct {
	Text string
	Pos  model.Pos // first byte
	List []Assignment
}

// Assignment is one of them.
type Assignment struct {
	Column Name // unquoted
	Expr   []SQLToken
}

// Scanned are the tokens as sqlfrag takes them.
func Scanned(tokens []SQLToken) []sqlfrag.Token {
	out := make([]sqlfrag.Token, len(tokens))
	for i, t := range tokens {
		out[i] = t.Token
	}
	return out
}

// fragment reads a predicate.
func (d *decoder) fragment(arg *ArgSpec, t Text) (Fragment, bool) {
	tokens, err := sqlfrag.Predicate(t.S)
	if err != nil {
		d.badSQL(arg, t, err)
		return Fragment{}, false
	}
	list, ok := d.sqlTokens(t, tokens)
	return Fragment{Text: t.S, Pos: t.Pos(), Tokens: list}, ok
}

// assignments reads column = expression, column = expression.
func (d *decoder) assignments(arg *ArgSpec, t Text) (Assignments, bool) {
	list, err := sqlfrag.Assignments(t.S)
	if err != nil {
		d.badSQL(arg, t, err)
		return Assignments{}, false
	}
	out := Assignments{Text: t.S, Pos: t.Pos()}
	good := true
	for _, a := range list {
		at := t.At(a.Off)
		if !isColumn(a.Column) {
			d.add(diag.New(diag.CodeColumnName, at, "%q is not a column name", a.Column))
			good = false
			continue
		}
		expr, ok := d.sqlTokens(t, a.Expr)
		good = good && ok
		out.List = append(out.List, Assignment{Column: Name{Text: a.Column, Pos: at}, Expr: expr})
	}
	return out, good
}

func (d *decoder) badSQL(arg *ArgSpec, t Text, err *sqlfrag.Error) {
	f := diag.New(diag.CodeFragment, t.At(err.Off), "%s=: %s", arg.Name, err.Msg)
	if err.Hint != "" {
		f = f.WithHint("%s", err.Hint)
	}
	d.add(f)
}

// sqlTokens adds to tokens where they stand and what constants they name.
func (d *decoder) sqlTokens(t Text, tokens []sqlfrag.Token) ([]SQLToken, bool) {
	out := make([]SQLToken, 0, len(tokens))
	good := true
	for _, tok := range tokens {
		x := SQLToken{Token: tok, Pos: t.At(tok.Off)}
		if tok.Kind == sqlfrag.Const {
			from := tok.Off + len(":")
			e, ok := d.constant(t.Slice(from, from+len(tok.Text)), "constant")
			x.Const, good = e, good && ok
		}
		out = append(out, x)
	}
	return out, good
}
