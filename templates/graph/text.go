package graph

import (
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

func id(prefix string, n int) string { return prefix + strconv.Itoa(n) }

// Visible is a text that a reader can tell apart from every other one: as it is, or
// in Go's quotes where it is empty, begins or ends with a blank, or holds what has
// no shape (line breaks, controls, marks that turn the direction of writing).
func Visible(s string) string {
	plain := s != "" && strings.TrimSpace(s) == s && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
	if plain && strings.ToValidUTF8(s, "") == s {
		return s
	}
	return strconv.Quote(s)
}

// SQL is a fragment as a person would write it; "" for nil.
func SQL(f model.Frag) string {
	var b strings.Builder
	for _, t := range f {
		switch t.Kind {
		case model.FragName:
			b.WriteString(`"` + t.Text + `"`)
		case model.FragText:
			b.WriteString("'" + strings.ReplaceAll(t.Text, "'", "''") + "'")
		case model.FragParam:
			b.WriteString(":" + t.Text)
		case model.FragValue:
			b.WriteString(":" + t.Text)
		default:
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
