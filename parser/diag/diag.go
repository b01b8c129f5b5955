// Package diag holds the diagnostics of the generator: a stable code, an exact
// position, a message and a hint, as values. Only the command prints them.
//
// The flow is New (and WithHint, WithRelated) where a fault is found, Sort and
// Dedupe once at the end of a run, Text, JSON or GitHub to show the result.
// Every code is one row of the table that Codes returns.
package diag

import (
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
)

// Code is a stable diagnostic code such as "IDEM104". Codes are never reused.
type Code string

// Diagnostic is one finding.
type Diagnostic struct {
	Code    Code
	Pos     model.Pos
	Message string // lower case, no full stop
	Hint    string // `did you mean "ttl"?`, or ""
	// Related are other places that belong to the finding (the first of two duplicates).
	Related []Related
	// Warning diagnostics do not stop generation and do not change the exit code.
	Warning bool
}

// Related is a second place of a diagnostic.
type Related struct {
	Pos     model.Pos
	Message string
}

// New makes an error with a formatted message. The zero pos means that the
// fault has no place in a file.
func New(code Code, pos model.Pos, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns d with a formatted hint; an earlier hint is replaced.
func (d Diagnostic) WithHint(format string, args ...any) Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// WithSuggestion returns d with a "did you mean" hint when one of the
// candidates is close to word; otherwise d is returned as it was.
func (d Diagnostic) WithSuggestion(word string, candidates []string) Diagnostic {
	if s := Suggest(word, candidates); s != "" {
		return d.WithHint("did you mean %q?", s)
	}
	return d
}

// WithRelated returns d with one more place. Diagnostics made from d before
// are not changed.
func (d Diagnostic) WithRelated(pos model.Pos, format string, args ...any) Diagnostic {
	d.Related = append(slices.Clip(d.Related), Related{Pos: pos, Message: fmt.Sprintf(format, args...)})
	return d
}

// AsWarning returns d as a warning.
func (d Diagnostic) AsWarning() Diagnostic {
	d.Warning = true
	return d
}

// HasErrors tells whether ds holds anything but warnings.
func HasErrors(ds []Diagnostic) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return !d.Warning })
}
