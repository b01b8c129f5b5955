package cli

import (
	"context"
	"fmt"

	"github.com/idemgen/idemgen/internal/outfile"
	"github.com/idemgen/idemgen/parser/diag"
)

// gen writes the files that differ.
func (a *app) gen(ctx context.Context, opts *options) int {
	changes, diags := a.plan(ctx, opts)
	if ctx.Err() != nil {
		return a.fail(fmt.Errorf("interrupted; nothing was written"))
	}
	if !diag.HasErrors(diags) {
		a.phases.enter("write")
		failed := outfile.Writer{}.Apply(changes)
		if failed == nil && opts.verbose {
			for _, c := range changes {
				verb := "wrote"
				if c.State == outfile.Orphan {
					verb = "removed"
				}
				fmt.Fprintf(a.stderr, "idemgen: %s %s\n", verb, a.rel(c.Path))
			}
		}
		diags = diag.Dedupe(append(diags, failed...))
	}
	a.report(opts.format, diags)
	return exitCode(diags)
}
