// Package outfile brings generated files to disk without ever leaving half of
// one behind.
//
// The flow is two calls. Compare reads what is there and returns the files that
// differ as values; a caller that only wants to know (idemgen check) stops
// here. A Writer then applies them: every new content is first written in full
// beside its target, and only when all are there are they renamed into place
// (G6). A file whose bytes do not differ is not touched.
package outfile

import (
	"io/fs"

	"github.com/idemgen/idemgen/internal/model"
)

// State tells how a file on disk relates to what was generated.
type State uint8

// States of a file.
const (
	Missing State = iota + 1 // to be created
	Stale                    // there, with other bytes
	Orphan                   // there, and nothing generates it any more
)

// String returns the word that messages use: missing, stale or orphaned.
func (s State) String() string {
	switch s {
	case Missing:
		return "missing"
	case Stale:
		return "stale"
	case Orphan:
		return "orphaned"
	}
	return "unknown"
}

// Change is one file that differs from what was generated.
type Change struct {
	Path  string // absolute
	State State
	Old   []byte      // nil when Missing
	New   []byte      // nil when Orphan
	Mode  fs.FileMode // permissions of the old file; 0 when Missing
}

// byPath orders files and changes for every list that a user sees.
func byPath(a, b model.File) int {
	switch {
	case a.Path < b.Path:
		return -1
	case a.Path > b.Path:
		return 1
	}
	return 0
}
