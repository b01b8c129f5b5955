package diag

import (
	"cmp"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
)

// Sort orders ds in place by file, line, column, code and message. Findings
// without a place come first. The order does not depend on the order found in.
func Sort(ds []Diagnostic) {
	slices.SortStableFunc(ds, compare)
}

// Dedupe returns ds sorted, with findings of one code, place and message
// reduced to the first. The result shares the memory of ds.
func Dedupe(ds []Diagnostic) []Diagnostic {
	Sort(ds)
	return slices.CompactFunc(ds, func(a, b Diagnostic) bool { return compare(a, b) == 0 })
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		comparePos(a.Pos, b.Pos),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}

func comparePos(a, b model.Pos) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Col, b.Col),
	)
}
