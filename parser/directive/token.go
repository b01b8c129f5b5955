package directive

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Arg is one argument as written, before anything is known of its directive.
type Arg struct {
	Key    string // "" for a word: a flag or a positional argument
	KeyPos model.Pos
	Value  Text // decoded; the word itself where Key is ""
	Quoted bool // Value was written as a Go string

	bad bool // Value has been diagnosed: decoding it would only repeat that
}

// Pos is where the argument begins.
func (a Arg) Pos() model.Pos {
	if a.Key == "" {
		return a.Value.Pos()
	}
	return a.KeyPos
}

// Tokenize splits what stands behind the name of a directive into arguments.
// A value is bare, a Go string or a raw string. A bare value ends at a space
// that is in no bracket and no quotes. After a diagnostic the rest is read as
// well as possible.
func Tokenize(t Text) ([]Arg, []diag.Diagnostic) {
	tk := tokenizer{t: t}
	if !tk.printable() {
		return nil, tk.diags
	}
	for tk.skip(); tk.i < len(t.S); tk.skip() {
		tk.arg()
	}
	return tk.args, tk.diags
}

type tokenizer struct {
	t     Text
	i     int  // next byte
	bad   bool // the value at hand has been diagnosed
	open  bool // a bracket or quote was never closed: spaces end values from now on
	args  []Arg
	diags []diag.Diagnostic
}

func (tk *tokenizer) fail(i int, format string, args ...any) *diag.Diagnostic {
	tk.diags = append(tk.diags, diag.New(diag.CodeSyntax, tk.t.At(i), format, args...))
	return &tk.diags[len(tk.diags)-1]
}

// printable refuses characters that a reader would not see: they end up in
// values and names and make two equal-looking directives differ.
func (tk *tokenizer) printable() bool {
	for i, r := range tk.t.S {
		switch {
		case r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError:
			continue
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(tk.t.S[i:]); size > 1 {
				continue // U+FFFD itself
			}
			tk.fail(i, "byte %#x is not valid UTF-8", tk.t.S[i])
		default:
			tk.fail(i, "invisible character %U in a directive", r).Hint = "remove it, or write it as an escape in a Go string"
		}
		return false
	}
	return true
}

func (tk *tokenizer) skip() {
	for tk.i < len(tk.t.S) && isBlank(tk.t.S[tk.i]) {
		tk.i++
	}
}

// arg reads one argument; tk.i is at its first byte.
func (tk *tokenizer) arg() {
	s, start := tk.t.S, tk.i
	n := keyLen(s[start:])
	if start+n < len(s) && s[start+n] == '=' && n > 0 {
		tk.i = start + n + 1
		tk.value(start, n)
		return
	}
	if n == 0 && s[start] == '=' {
		tk.spacedEquals(start)
		return
	}
	var a Arg
	tk.read(&a)
	tk.args = append(tk.args, a)
}

// value reads what stands behind "key="; tk.i is there.
func (tk *tokenizer) value(start, n int) {
	a := Arg{Key: tk.t.S[start : start+n], KeyPos: tk.t.At(start)}
	end := tk.i
	a.Value = tk.t.Slice(end, end)
	if tk.i < len(tk.t.S) && !isBlank(tk.t.S[tk.i]) {
		tk.read(&a)
	} else if tk.skip(); tk.i < len(tk.t.S) && !tk.atKey() {
		// key= value: almost certainly one argument.
		tk.fail(end, "space behind %s=", a.Key).Hint = "write name=value without spaces around the equals sign"
		tk.read(&a)
	}
	tk.args = append(tk.args, a)
}

// spacedEquals reads "= value" and "=value" behind a word.
func (tk *tokenizer) spacedEquals(at int) {
	last := len(tk.args) - 1
	if last < 0 || tk.args[last].Key != "" || tk.args[last].Quoted {
		tk.fail(at, "= without a name before it")
	} else {
		tk.fail(at, "space before =").Hint = "write name=value without spaces around the equals sign"
	}
	for tk.i < len(tk.t.S) && tk.t.S[tk.i] == '=' {
		tk.i++
	}
	tk.skip()
	if tk.i == len(tk.t.S) {
		return
	}
	var a Arg
	tk.read(&a)
	if last >= 0 && tk.args[last].Key == "" {
		word := tk.args[last].Value
		a.Key, a.KeyPos = word.S, word.Pos()
		tk.args[last] = a
	}
}

// atKey tells whether a "key=" begins at tk.i.
func (tk *tokenizer) atKey() bool {
	rest := tk.t.S[tk.i:]
	n := keyLen(rest)
	return n < len(rest) && rest[n] == '='
}

// read reads a value or a word into a; tk.i is at its first byte and ends behind it.
func (tk *tokenizer) read(a *Arg) {
	tk.bad = false
	a.Value, a.Quoted = tk.readText()
	a.bad = tk.bad
}

func (tk *tokenizer) readText() (v Text, quoted bool) {
	s, start := tk.t.S, tk.i
	if q := s[start]; q == '"' || q == '`' {
		end := quoteEnd(s, start)
		switch {
		case end < 0:
			tk.fail(start, "the quote %c is never closed", q)
			tk.bad = true
			tk.i = len(s)
			return tk.t.Slice(start+1, len(s)), true
		case end == len(s) || isBlank(s[end]):
			tk.i = end
			return tk.unquote(start, end), true
		case isWordByte(s[end]) || s[end] == '"' || s[end] == '`':
			tk.fail(end, "a space is missing behind the closing quote")
			tk.i = end
			return tk.unquote(start, end), true
		}
		// "a"+b and "a",b are bare values that begin with a literal.
	}
	return tk.bare(), false
}

// bare reads up to a space outside brackets and quotes.
func (tk *tokenizer) bare() Text {
	s, start := tk.t.S, tk.i
	end, open := start, -1
	if !tk.open {
		end, open = bareEnd(s, start)
	}
	if open >= 0 {
		tk.bad, tk.open = true, true
		if c := s[open]; c == '"' || c == '`' || c == '\'' {
			tk.fail(open, "the quote %c is never closed", c)
		} else {
			tk.fail(open, "the bracket %c is never closed", c)
		}
	}
	if tk.open {
		for end = start; end < len(s) && !isBlank(s[end]); {
			end++
		}
	}
	tk.i = end
	return tk.t.Slice(start, end)
}

// unquote decodes the Go string s[start:end] and keeps where its bytes were.
func (tk *tokenizer) unquote(start, end int) Text {
	inner := tk.t.Slice(start+1, end-1)
	if tk.t.S[start] == '`' || !strings.Contains(inner.S, `\`) {
		return inner
	}
	out := Text{pos: inner.pos, base: inner.base, file: inner.file}
	var b []byte
	for i := 0; i < len(inner.S); {
		r, multibyte, tail, err := strconv.UnquoteChar(inner.S[i:], '"')
		if err != nil {
			tk.fail(start+1+i, "not an escape of a Go string")
			tk.bad = true
			return inner
		}
		n := len(b)
		if r < utf8.RuneSelf || !multibyte {
			b = append(b, byte(r))
		} else {
			b = utf8.AppendRune(b, r)
		}
		for range len(b) - n {
			out.offs = append(out.offs, inner.off(i))
		}
		i = len(inner.S) - len(tail)
	}
	out.offs = append(out.offs, inner.off(len(inner.S)))
	out.S = string(b)
	return out
}

// keyLen is the length of the name that s begins with.
func keyLen(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.'
	})
	if n < 0 {
		return len(s)
	}
	return n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isWordByte(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
