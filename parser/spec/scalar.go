package spec

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// scalar is the value of a scalar without the space around it, and the offset in
// the file of each of its bytes and of its end. Line breaks that only the layout of
// the file made count as spaces.
func (r *reader) scalar(n *yaml.Node) (string, []int) {
	start := r.start(n)
	var places []int
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		places = block(r.src, start, n.Value, n.Style&yaml.FoldedStyle != 0)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		places = flow(r.src, start+1, '"', n.Value)
	case n.Style&yaml.SingleQuotedStyle != 0:
		places = flow(r.src, start+1, '\'', n.Value)
	default:
		places = flow(r.src, start, 0, n.Value)
	}
	if places == nil { // a form that is not followed: the beginning of the value
		places = make([]int, len(n.Value)+1)
		for i := range places {
			places[i] = start
		}
	}
	s := n.Value
	if n.Style&yaml.DoubleQuotedStyle == 0 {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	from := len(s) - len(strings.TrimLeft(s, spaces))
	to := max(from, len(strings.TrimRight(s, spaces)))
	return s[from:to], places[from : to+1]
}

const spaces = " \t\n"

// follower decodes a scalar beside the parser and notes where its bytes stand.
type follower struct {
	src    []byte
	i      int
	out    []byte
	places []int
}

func (f *follower) emit(at int, s ...byte) {
	for _, c := range s {
		f.out = append(f.out, c)
		f.places = append(f.places, at)
	}
}

// done are the places when the scalar was followed to its end, else nil.
func (f *follower) done(want string) []int {
	if len(f.out) < len(want) || string(f.out[:len(want)]) != want {
		return nil
	}
	end := f.i
	if len(f.out) > len(want) {
		end = f.places[len(want)]
	}
	return append(f.places[:len(want):len(want)], end)
}

// flow follows a plain scalar (quote 0) or a quoted one; i is at its first content byte.
func flow(src []byte, i int, quote byte, want string) []int {
	f := &follower{src: src, i: i}
	for len(f.out) < len(want) && f.i < len(src) {
		switch c := src[f.i]; {
		case quote == '"' && c == '\\':
			if !f.escape() {
				return nil
			}
		case quote == '\'' && bytes.HasPrefix(src[f.i:], []byte("''")):
			f.emit(f.i, '\'')
			f.i += 2
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			f.space()
		default:
			f.emit(f.i, c)
			f.i++
		}
	}
	return f.done(want)
}

// space follows blanks; with a line break among them they are folded.
func (f *follower) space() {
	start, breaks := f.i, 0
	for f.i < len(f.src) && strings.IndexByte(" \t\r\n", f.src[f.i]) >= 0 {
		if f.src[f.i] == '\n' {
			breaks++
		}
		f.i++
	}
	switch {
	case breaks == 0:
		for at := start; at < f.i; at++ {
			f.emit(at, f.src[at])
		}
	case breaks == 1:
		f.emit(start, ' ')
	default:
		f.emit(start, []byte(strings.Repeat("\n", breaks-1))...)
	}
}

// escape follows an escape of a double-quoted scalar.
func (f *follower) escape() bool {
	at := f.i
	if at+1 >= len(f.src) {
		return false
	}
	c := f.src[at+1]
	f.i += 2
	if c == '\n' || c == '\r' { // the line goes on: blanks are left out
		for f.i < len(f.src) && strings.IndexByte(" \t\r\n", f.src[f.i]) >= 0 {
			f.i++
		}
		return true
	}
	if text, ok := escapes[c]; ok {
		f.emit(at, []byte(text)...)
		return true
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if digits == 0 || f.i+digits > len(f.src) {
		return false
	}
	v, err := strconv.ParseUint(string(f.src[f.i:f.i+digits]), 16, 32)
	if err != nil {
		return false
	}
	f.i += digits
	f.emit(at, utf8.AppendRune(nil, rune(v))...)
	return true
}

// escapes of YAML by one letter.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': "\"", '\'': "'", '\\': "\\", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// block follows a literal (|) or folded (>) scalar; i is at its indicator.
func block(src []byte, i int, want string, folded bool) []int {
	f := &follower{src: src, i: i}
	f.line() // the header
	indent := -1
	empty := 0    // lines since the last one with text
	more := false // the line before was indented further
	for len(f.out) < len(want) && f.i < len(src) {
		start := f.i
		end := f.line()
		content := src[start:end]
		blanks := len(content) - len(bytes.TrimLeft(content, " "))
		if blanks == len(content) && (indent < 0 || blanks <= indent) {
			empty++
			continue
		}
		if indent < 0 {
			// The header may give the indentation: then the text itself begins with spaces.
			text := strings.TrimLeft(want, "\n")
			indent = max(0, blanks-(len(text)-len(strings.TrimLeft(text, " "))))
		}
		if blanks < indent {
			break
		}
		content, start = content[indent:], start+indent
		further := content[0] == ' ' || content[0] == '\t'
		switch first := len(f.out) == 0; {
		case !folded || first || more || further:
			n := empty
			if !first {
				n++
			}
			f.emit(start, bytes.Repeat([]byte{'\n'}, n)...)
		case empty == 0:
			f.emit(start, ' ')
		default:
			f.emit(start, bytes.Repeat([]byte{'\n'}, empty)...)
		}
		for k := range content {
			f.emit(start+k, content[k])
		}
		empty, more = 0, further
	}
	f.i = min(f.i, len(src))
	for len(f.out) < len(want) && want[len(f.out)] == '\n' { // kept at the end
		f.emit(f.i, '\n')
	}
	return f.done(want)
}

// line moves behind the line at hand and returns where its text ends.
func (f *follower) line() int {
	end := len(f.src)
	next := end
	if n := bytes.IndexByte(f.src[f.i:], '\n'); n >= 0 {
		end, next = f.i+n, f.i+n+1
	}
	if end > f.i && f.src[end-1] == '\r' {
		end--
	}
	f.i = next
	return end
}
