package spec

import (
	"bytes"
	"go/token"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// maxSize bounds a file, in bytes; one that describes a thousand methods has less.
const maxSize = 1 << 20

// text is the bytes of a file and its places.
type text struct {
	src   []byte
	bom   int // bytes of a byte order mark
	tok   *token.File
	lines []int // offsets of the line starts
	// chars are the offsets of the characters of lines that were asked for.
	chars map[int][]int
}

func newText(fset *token.FileSet, name string, src []byte) *text {
	t := &text{src: src, tok: fset.AddFile(name, -1, len(src)), lines: []int{0}, chars: map[int][]int{}}
	if len(src) > 0 { // an empty one has a first line all the same
		t.tok.SetLinesForContent(src)
	}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		t.bom = len("\ufeff")
	}
	for i, c := range src {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// pos is the position of an offset.
func (t *text) pos(at int) model.Pos {
	return model.PosOf(t.tok.PositionFor(t.at(at), false))
}

// at is the offset in the FileSet.
func (t *text) at(at int) token.Pos { return token.Pos(t.tok.Base() + t.inside(at)) }

// inside moves an offset into the file. The end of a file that ends with a line feed
// is at that: the FileSet knows no line behind it.
func (t *text) inside(at int) int {
	at = max(0, min(at, len(t.src)))
	if at > 0 && at == len(t.src) && t.src[at-1] == '\n' {
		at--
	}
	return at
}

// offset is where a YAML mark stands: lines from 1, columns in characters from 1.
func (t *text) offset(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return len(t.src)
	}
	chars, ok := t.chars[line]
	if !ok {
		at := t.lines[line-1]
		if line == 1 {
			at += t.bom
		}
		for at < len(t.src) && t.src[at] != '\n' {
			chars = append(chars, at)
			_, size := utf8.DecodeRune(t.src[at:])
			at += size
		}
		chars = append(chars, at)
		t.chars[line] = chars
	}
	return chars[max(0, min(column, len(chars))-1)]
}

// readable refuses what a reader of the file would not see as the parser does.
func (t *text) readable() []diag.Diagnostic {
	if len(t.src) > maxSize {
		return []diag.Diagnostic{diag.New(diag.CodeYAMLSyntax, t.pos(0), "the file has %d bytes, more than %d", len(t.src), maxSize).
			WithHint("write an %s per folder", FileName)}
	}
	bad := func(i int, format string, args ...any) []diag.Diagnostic {
		return []diag.Diagnostic{diag.New(diag.CodeYAMLSyntax, t.pos(i), format, args...)}
	}
	indent := true
	for i := t.bom; i < len(t.src); {
		r, size := utf8.DecodeRune(t.src[i:])
		switch {
		case r == '\n':
			indent = true
		case r == '\r':
			if i+1 == len(t.src) || t.src[i+1] != '\n' {
				return bad(i, "carriage return without a line feed")
			}
		case r == '\t':
			if indent {
				d := bad(i, "tab in the indentation")
				d[0].Hint = "indent with spaces"
				return d
			}
		case r == utf8.RuneError && size == 1:
			return bad(i, "byte %#x is not valid UTF-8", t.src[i])
		case !unicode.IsPrint(r) && r != utf8.RuneError:
			d := bad(i, "invisible character %U", r)
			d[0].Hint = "remove it, or write it as an escape in double quotes"
			return d
		case r != ' ':
			indent = false
		}
		i += size
	}
	return nil
}
