package directive

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// candidate is a line that is a directive, or was meant to be one, if it turns
// out to be a comment.
type candidate struct {
	shape   shape
	comment int // offset of the comment mark; for a block comment of its line's idem
	start   int // offset of the word idem
	end     int // offset behind the line, or behind the block comment
	name    string
}

// MayContain tells whether src may hold a directive or something that was
// meant to be one. It costs one pass over the bytes and never says no to a
// file for which Scan would report anything.
func MayContain(src []byte) bool {
	found := false
	eachCandidate(src, func(candidate) bool {
		found = true
		return false
	})
	return found
}

// eachCandidate calls yield for each line that looks like a directive behind a
// comment mark, in order of their marks, until it returns false. It knows
// nothing of strings and of comments in comments.
func eachCandidate(src []byte, yield func(candidate) bool) {
	f := finder{src: src, yield: yield}
	for i := 0; i < len(src); {
		n := bytes.IndexByte(src[i:], '/')
		if n < 0 {
			return
		}
		i += n
		run := i // of slashes
		for i < len(src) && src[i] == '/' {
			i++
		}
		// A run opens a line comment at its first slash, or at its second when
		// the first ends a block comment.
		if i-run >= 2 && !f.line(run) {
			return
		}
		if i-run >= 3 && run > 0 && src[run-1] == '*' && !f.line(run+1) {
			return
		}
		if i < len(src) && src[i] == '*' && !f.block(i-1) {
			return
		}
	}
}

// finder looks at comment marks, each in constant time beside its own line.
type finder struct {
	src      []byte
	yield    func(candidate) bool
	eol      int // end of the line last looked at
	blockEnd int // the block comments up to here are done
}

// lineEnd is the end of the line of offset i; i never goes back.
func (f *finder) lineEnd(i int) int {
	if i > f.eol || f.eol == 0 {
		f.eol = lineEnd(f.src, i)
	}
	return f.eol
}

// line looks at the line comment whose mark is at i.
func (f *finder) line(i int) bool {
	end := f.lineEnd(i + 2)
	if !maybe(f.src[i+2:end], '/', 1) {
		return true
	}
	sh, start, name := classify(string(f.src[i+2 : end]))
	return sh == notDirective || f.yield(candidate{sh, i, i + 2 + start, end, name})
}

// block looks at the lines of the block comment whose mark is at i.
func (f *finder) block(i int) bool {
	if i < f.blockEnd {
		// This mark or the one before stands in a string or a line comment.
		// Both end at the same place: only this line is new.
		return f.blockLine(i+2, min(f.lineEnd(i+2), f.blockEnd))
	}
	f.blockEnd = len(f.src)
	if n := bytes.Index(f.src[i+2:], []byte("*/")); n >= 0 {
		f.blockEnd = i + 2 + n
	}
	for from := i + 2; from < f.blockEnd; {
		end := min(lineEnd(f.src, from), f.blockEnd)
		if !f.blockLine(from, end) {
			return false
		}
		for from = end; from < f.blockEnd && (f.src[from] == '\n' || f.src[from] == '\r'); {
			from++
		}
	}
	return true
}

// blockLine looks at one line inside a block comment.
func (f *finder) blockLine(from, end int) bool {
	if from >= end || !maybe(f.src[from:end], '*', end) {
		return true
	}
	sh, start, name := classifyBlock(string(f.src[from:end]))
	return sh == notDirective || f.yield(candidate{sh, from + start, from + start, end, name})
}

// maybe refuses most lines cheaply: the first letter must be an i. Up to n
// marks before it are skipped.
func maybe(line []byte, mark byte, n int) bool {
	for i, c := range line {
		switch {
		case c == ' ' || c == '\t' || c == '@':
		case c == mark && n > 0:
			n--
		case c == 'i' || c == 'I':
			return true
		case c < utf8.RuneSelf && !unicode.IsSpace(rune(c)):
			return false
		default:
			rest := bytes.TrimLeftFunc(line[i:], isSpace)
			return len(rest) > 0 && (rest[0]|0x20 == 'i' || rest[0] == mark)
		}
	}
	return false
}

// lineEnd is the offset of the line end at or behind i, a carriage return
// before it not counted.
func lineEnd(src []byte, i int) int {
	end := len(src)
	if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
		end = i + n
	}
	if end > i && src[end-1] == '\r' {
		end--
	}
	return end
}
