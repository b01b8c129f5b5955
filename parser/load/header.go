package load

import "bytes"

// handWrittenDirective finds a directive at the start of a line in a file of
// ours, which never has one: 1-based line and column of its prefix, or 0, 0.
func handWrittenDirective(src []byte) (line, col int) {
	for n := 1; len(src) > 0; n++ {
		text, tail, _ := bytes.Cut(src, []byte("\n"))
		trimmed := bytes.TrimLeft(text, " \t")
		if bytes.HasPrefix(trimmed, []byte("//idem:")) {
			return n, len(text) - len(trimmed) + len("//") + 1
		}
		src = tail
	}
	return 0, 0
}
