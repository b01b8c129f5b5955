package diag

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/internal/model"
)

// Text shows ds one under the other, as a compiler would:
//
//	orders.go:41:27: IDEM104: unknown argument "ttk" for //idem:once
//		did you mean "ttl"?
//
// Files inside base are shown relative to it; an empty base leaves all paths
// as they are. Control characters are escaped, so that a source file can't
// drive the terminal. The order is that of ds.
func Text(ds []Diagnostic, base string) string {
	var b strings.Builder
	for _, d := range ds {
		if at := place(d.Pos, base); at != "" {
			b.WriteString(at + ": ")
		}
		b.WriteString(string(d.Code) + ": ")
		if d.Warning {
			b.WriteString("warning: ")
		}
		b.WriteString(indent(d.Message) + "\n")
		if d.Hint != "" {
			b.WriteString("\t" + indent(d.Hint) + "\n")
		}
		for _, r := range d.Related {
			b.WriteString("\t")
			if at := place(r.Pos, base); at != "" {
				b.WriteString(at + ": ")
			}
			b.WriteString(indent(r.Message) + "\n")
		}
	}
	return b.String()
}

// place is file:line:col as far as it is known.
func place(p model.Pos, base string) string {
	if p.File == "" {
		return ""
	}
	s := printable(relative(p.File, base))
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
		if p.Col > 0 {
			s += ":" + strconv.Itoa(p.Col)
		}
	}
	return s
}

// relative shortens a path inside base; others stay what they were.
func relative(file, base string) string {
	if base == "" {
		return file
	}
	rel, err := filepath.Rel(base, file)
	if err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return rel
}

// indent keeps further lines of a message under its first.
func indent(s string) string {
	return strings.ReplaceAll(printable(s), "\n", "\n\t")
}

// printable escapes what a terminal would act on; line ends and tabs stay.
func printable(s string) string {
	safe := func(r rune) bool { return r == '\n' || r == '\t' || unicode.IsPrint(r) }
	if strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if safe(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
