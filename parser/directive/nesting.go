package directive

import "strings"

// quoteEnd is the offset behind the quote that closes the one at s[start], or -1.
func quoteEnd(s string, start int) int {
	q := s[start]
	for i := start + 1; i < len(s); i++ {
		switch {
		case s[i] == q:
			return i + 1
		case s[i] == '\\' && q != '`':
			i++
		}
	}
	return -1
}

// bareEnd is the end of the bare value at s[start]: the first space outside
// brackets and quotes. open is the offset of a bracket or quote that is never
// closed, or -1.
func bareEnd(s string, start int) (end, open int) {
	var stack []int
	for i := start; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '`', '\'':
			next := quoteEnd(s, i)
			if next < 0 {
				return len(s), i
			}
			i = next - 1
		case '(', '[', '{':
			stack = append(stack, i)
		case ')', ']', '}':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case ' ', '\t':
			if len(stack) == 0 {
				return i, -1
			}
		}
	}
	if len(stack) > 0 {
		return len(s), stack[0]
	}
	return len(s), -1
}

// splitList splits t at the commas that are in no bracket and no quotes. The
// elements are trimmed; there is always at least one, and some may be empty.
func splitList(t Text) []Text {
	var out []Text
	depth, from := 0, 0
	for i := 0; i < len(t.S); i++ {
		switch c := t.S[i]; c {
		case '"', '`', '\'':
			next := quoteEnd(t.S, i)
			if next < 0 {
				next = len(t.S)
			}
			i = next - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		case ',':
			if depth == 0 {
				out = append(out, t.Slice(from, i).Trim())
				from = i + 1
			}
		}
	}
	return append(out, t.Slice(from, len(t.S)).Trim())
}

// cutByte splits t around the first c.
func cutByte(t Text, c byte) (before, after Text, found bool) {
	i := strings.IndexByte(t.S, c)
	if i < 0 {
		return t, t.Slice(len(t.S), len(t.S)), false
	}
	return t.Slice(0, i), t.Slice(i+1, len(t.S)), true
}
