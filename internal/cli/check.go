package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/internal/outfile"
	"github.com/idemgen/idemgen/parser/diag"
)

// check names the files that are not current and shows what gen would do to
// them. Diffs go to standard output, except in JSON form, which has that stream
// to itself.
func (a *app) check(ctx context.Context, opts *options) int {
	changes, diags := a.plan(ctx, opts)
	if ctx.Err() != nil {
		return a.fail(fmt.Errorf("interrupted"))
	}
	for _, c := range changes {
		diags = append(diags, finding(c, remedy(opts)))
		if opts.format != formatJSON {
			a.stdout.Write(paintDiff(a.diff(c), colourful(a.stdout)))
		}
	}
	diags = diag.Dedupe(diags)
	a.report(opts.format, diags)
	return exitCode(diags)
}

// finding says what is wrong with a file, at the first line that differs.
func finding(c outfile.Change, remedy string) diag.Diagnostic {
	pos := model.Pos{File: c.Path}
	switch c.State {
	case outfile.Missing:
		return diag.New(diag.CodeMissingFile, pos, "the generated file is missing").WithHint("run %q and check in the new file", remedy)
	case outfile.Orphan:
		return diag.New(diag.CodeOrphanFile, pos, "the generated file is orphaned: nothing in its package is annotated any more").
			WithHint("run %q, which removes it", remedy)
	}
	pos.Line = firstDifference(c.Old, c.New)
	return diag.New(diag.CodeStale, pos, "the generated file is stale").WithHint("run %q and check in the result", remedy)
}

// remedy is the command line that makes what was checked current.
func remedy(opts *options) string {
	words := []string{"idemgen", "gen"}
	if opts.givenDir != "" {
		words = append(words, "-C", opts.givenDir)
	}
	if len(opts.tags) > 0 {
		words = append(words, "-tags="+strings.Join(opts.tags, ","))
	}
	return strings.Join(append(words, opts.patterns...), " ")
}

// firstDifference is the line of b, from 1, where it first differs from a; of a
// where b is a mere beginning of it.
func firstDifference(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}

// diff is the change as a unified diff that patch and git apply accept.
func (a *app) diff(c outfile.Change) []byte {
	name := filepath.ToSlash(a.rel(c.Path))
	from, to := "a/"+name, "b/"+name
	if filepath.IsAbs(name) {
		from, to = name, name
	}
	switch c.State {
	case outfile.Missing:
		from = "/dev/null"
	case outfile.Orphan:
		to = "/dev/null"
	}
	d := diff.Diff(from, c.Old, to, c.New)
	// The library puts a line in front that names the command; tools skip it,
	// readers need not see it.
	if _, rest, ok := bytes.Cut(d, []byte("\n")); ok && bytes.HasPrefix(d, []byte("diff ")) {
		return rest
	}
	return d
}
