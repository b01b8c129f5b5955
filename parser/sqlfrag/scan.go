// Package sqlfrag reads the pieces of SQL that users write in directives: the
// predicate of where= and the assignments of set= and create=.
//
// Scan splits a piece into tokens and refuses what could end the statement that it
// will stand in, or would mean another thing in another dialect. Predicate takes one
// expression, Assignments col = expr, col = expr. Equalities and Columns look into tokens. Nothing here
// knows of Go: what a :name stands for is decided by parser/check.
//
// The grammar:
//
//	piece  = token { token } .
//	token  = word | `"name"` | "`name`" | "'text'" | number | ":" name | ":" Const | ":" pkg "." Const | operator .
package sqlfrag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// Kinds of tokens.
const (
	Word   Kind = iota // bare word: a column, keyword or function, also a.b
	Name               // quoted name
	Param              // :amount
	Const              // :Paid or :pb.Paid, a constant of Go
	Text               // 'text'
	Number             // 12, 0.5, 1e3
	Op                 // operator, comma or parenthesis
	Space              // blanks between two tokens
)

// Token is one token. Text is what it says without quotes, colon or escapes; of a
// Space one blank. Off is the byte offset of its first byte, quotes and colon included.
type Token struct {
	Kind Kind
	Text string
	Off  int
}

// Error is why a piece was refused, at a byte offset in it.
type Error struct {
	Off       int
	Msg, Hint string
}

// Error is the message.
func (e *Error) Error() string { return e.Msg }

func fault(off int, hint, format string, args ...any) *Error {
	return &Error{Off: off, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// refused are the texts that no piece may contain, longest first.
var refused = []struct{ text, what, hint string }{
	{";", "ends the statement", "one expression is wanted"},
	{"--", "begins a comment", "write - - for two minus signs"},
	{"/*", "begins a comment", ""},
	{"*/", "ends a comment", ""},
	{"#", "begins a comment on MySQL", ""},
	{"?", "is a placeholder of a driver", "write :name for a parameter"},
	{"$", "is a placeholder of a driver", "write :name for a parameter"},
	{"::", "is a cast of Postgres alone", "write CAST(x AS type), which every dialect knows"},
	{":=", "assigns on MySQL alone", ""},
	{"==", "is SQLite's alone", "write ="},
	{"^", "is a power on Postgres and XOR on MySQL", ""},
	{"@", "names a variable on MySQL", "write :name for a parameter"},
	{"||", "is OR on MySQL and joins texts elsewhere", "write OR, or CONCAT(a, b)"},
	{"&&", "is AND on MySQL alone", "write AND"},
	{`\`, "is an escape on MySQL alone", "write :name for a parameter"},
	{"{", "is no SQL", ""}, {"}", "is no SQL", ""},
	{"[", "is an array of Postgres or a name of SQLite", ""}, {"]", "is an array of Postgres or a name of SQLite", ""},
}

// operators are those of more than one byte, longest first.
var operators = []string{"->>", "<=>", "->", "<>", "!=", "<=", ">=", "<<", ">>"}

// single are the operators of one byte.
const single = "=<>+-*/%(),!~|&."

// Scan reads a piece into tokens, without blanks around it. It refuses an empty
// one, parentheses that don't match, and what can't stand in a larger statement.
func Scan(s string) ([]Token, *Error) {
	var tokens []Token
	var open []int
	for i := 0; i < len(s); {
		t, n, err := next(s, i)
		if err != nil {
			return nil, err
		}
		switch {
		case t.Kind == Op && t.Text == "(":
			open = append(open, i)
		case t.Kind == Op && t.Text == ")":
			if len(open) == 0 {
				return nil, fault(i, "", "a parenthesis is closed that was not opened")
			}
			open = open[:len(open)-1]
		}
		i += n
		if t.Kind != Space || len(tokens) > 0 {
			tokens = append(tokens, t)
		}
	}
	if len(open) > 0 {
		return nil, fault(open[len(open)-1], "", "the parenthesis is not closed")
	}
	if n := len(tokens); n > 0 && tokens[n-1].Kind == Space {
		tokens = tokens[:n-1]
	}
	if len(tokens) == 0 {
		return nil, fault(0, "", "the SQL is empty")
	}
	return tokens, nil
}

// next reads the token at offset i and tells how many bytes it takes.
func next(s string, i int) (Token, int, *Error) {
	rest := s[i:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == utf8.RuneError && size <= 1:
		return Token{}, 0, fault(i, "", "the SQL is not UTF-8 here")
	case unicode.IsSpace(r):
		n := len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
		return Token{Space, " ", i}, n, nil
	case unicode.IsControl(r):
		return Token{}, 0, fault(i, "", "character %U has no place in SQL", r)
	case r == '\'':
		return quoted(s, i, Text, "text")
	case r == '"' || r == '`':
		return quoted(s, i, Name, "name")
	case r == ':' && !strings.HasPrefix(rest, "::") && !strings.HasPrefix(rest, ":="):
		return parameter(s, i)
	case r >= '0' && r <= '9':
		return number(s, i)
	case isWordStart(r):
		n := wordLen(rest)
		if strings.HasPrefix(rest[n:], "'") {
			return Token{}, 0, fault(i, "put a blank between the word and the text", "%s in front of a quote changes what the text means", rest[:n])
		}
		return Token{Word, rest[:n], i}, n, nil
	}
	for _, x := range refused {
		if strings.HasPrefix(rest, x.text) {
			return Token{}, 0, fault(i, x.hint, "%s %s", x.text, x.what)
		}
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return Token{Op, op, i}, len(op), nil
		}
	}
	if strings.ContainsRune(single, r) {
		return Token{Op, string(r), i}, size, nil
	}
	return Token{}, 0, fault(i, "", "%q has no place in SQL", r)
}

// quoted reads a text or a name; a doubled quote inside is one.
func quoted(s string, i int, kind Kind, what string) (Token, int, *Error) {
	quote := s[i]
	var b strings.Builder
	for j := i + 1; j < len(s); j++ {
		switch c := s[j]; {
		case c == 0:
			return Token{}, 0, fault(j, "", "a NUL byte has no place in SQL")
		case c != quote:
			b.WriteByte(c)
		case j+1 < len(s) && s[j+1] == quote:
			b.WriteByte(c)
			j++
		case kind == Name && b.Len() == 0:
			return Token{}, 0, fault(i, "", "the name is empty")
		case !utf8.ValidString(b.String()):
			return Token{}, 0, fault(i, "", "the %s is not UTF-8", what)
		default:
			return Token{kind, b.String(), i}, j + 1 - i, nil
		}
	}
	return Token{}, 0, fault(i, "", "the %s has no closing %c", what, quote)
}

// parameter reads :name, :Const or :pkg.Const.
func parameter(s string, i int) (Token, int, *Error) {
	rest := s[i+1:]
	n := identLen(rest)
	if n == 0 {
		return Token{}, 0, fault(i, "write :name, with a Go identifier", "a name is missing behind the colon")
	}
	word := rest[:n]
	if m := strings.TrimPrefix(rest[n:], "."); m != rest[n:] && identLen(m) > 0 {
		k := identLen(m)
		if !isExported(m[:k]) {
			return Token{}, 0, fault(i, "", "%s.%s is not exported", word, m[:k])
		}
		return Token{Const, rest[:n+1+k], i}, 1 + n + 1 + k, nil
	}
	if isExported(word) {
		return Token{Const, word, i}, 1 + n, nil
	}
	return Token{Param, word, i}, 1 + n, nil
}

// number reads an unsigned number. What Go would read in another way is refused.
func number(s string, i int) (Token, int, *Error) {
	n := i
	digits := func() {
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n+1 < len(s) && (s[n] == 'e' || s[n] == 'E') {
		if k := n + 1; s[k] == '+' || s[k] == '-' || s[k] >= '0' && s[k] <= '9' {
			n = k + 1
			digits()
		}
	}
	if r, _ := utf8.DecodeRuneInString(s[n:]); n < len(s) && (isWordStart(r) || r == '\'') {
		return Token{}, 0, fault(i, "write it in decimal", "%s is no number", s[i:n]+string(r))
	}
	return Token{Number, s[i:n], i}, n - i, nil
}

func isWordStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func isWordPart(r rune) bool { return isWordStart(r) || unicode.IsDigit(r) }

// identLen is the length of the identifier at the start of s.
func identLen(s string) int {
	if r, _ := utf8.DecodeRuneInString(s); s == "" || !isWordStart(r) {
		return 0
	}
	if n := strings.IndexFunc(s, func(r rune) bool { return !isWordPart(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// wordLen is the length of the word at the start of s: orders.paid_at is one.
func wordLen(s string) int {
	n := identLen(s)
	for strings.HasPrefix(s[n:], ".") {
		m := identLen(s[n+1:])
		if m == 0 {
			break
		}
		n += 1 + m
	}
	return n
}

func isExported(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}
