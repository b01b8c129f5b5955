package directive

import (
	"go/token"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// Text is a piece of a source line that knows where each of its bytes was
// written, also after a quoted string was decoded. In a Go file it never spans
// lines.
type Text struct {
	S string

	pos  model.Pos // of the byte that offset 0 stands for
	base token.Pos // the same in the caller's FileSet, or NoPos
	// offs maps every byte of S, and its end, to an offset from pos; nil means
	// that the bytes stand one behind the other.
	offs []int
	// file is set where the bytes may stand on several lines: base is a position
	// in it then, and pos is not used.
	file *token.File
}

// NewText makes a Text whose bytes stand one behind the other from pos on.
func NewText(s string, pos model.Pos) Text { return Text{S: s, pos: pos} }

// At is the position of byte i; i = len(S) is the position behind the last.
// Other values of i are moved into that range.
func (t Text) At(i int) model.Pos {
	if t.file != nil {
		return model.PosOf(t.file.PositionFor(t.base+token.Pos(t.off(i)), false))
	}
	p := t.pos
	p.Col += t.off(i)
	return p
}

// Pos is the position of the first byte.
func (t Text) Pos() model.Pos { return t.At(0) }

// End is the position behind the last byte.
func (t Text) End() model.Pos { return t.At(len(t.S)) }

// Slice is the text of the bytes i to j.
func (t Text) Slice(i, j int) Text {
	s := Text{S: t.S[i:j], pos: t.pos, base: t.base, file: t.file}
	if t.offs != nil {
		s.offs = t.offs[i : j+1]
		return s
	}
	s.pos.Col += i
	if s.base.IsValid() {
		s.base += token.Pos(i)
	}
	return s
}

// Trim is the text without spaces and tabs around it.
func (t Text) Trim() Text {
	s := strings.TrimLeft(t.S, blanks)
	t = t.Slice(len(t.S)-len(s), len(t.S))
	return t.Slice(0, len(strings.TrimRight(s, blanks)))
}

// blanks separate the words of a directive.
const blanks = " \t"

func (t Text) off(i int) int {
	i = max(0, min(i, len(t.S)))
	if t.offs != nil {
		return t.offs[i]
	}
	return i
}
