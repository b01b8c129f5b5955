package cli

import (
	"io"
	"slices"

	"github.com/idemgen/idemgen/parser/diag"
)

// report prints diagnostics: text and workflow commands on standard error, JSON
// on standard output, where it is an array even when there is nothing to say.
func (a *app) report(f format, diags []diag.Diagnostic) {
	switch f {
	case formatJSON:
		io.WriteString(a.stdout, diag.JSON(diags, a.cwd))
	case formatGitHub:
		io.WriteString(a.stderr, diag.GitHub(diags, a.cwd))
	default:
		io.WriteString(a.stderr, paintDiagnostics(diag.Text(diags, a.cwd), colourful(a.stderr)))
	}
}

// failures are the codes that say that something did not work, not that
// something is wrong with the source.
func failures() []diag.Code {
	return []diag.Code{diag.CodeWrite, diag.CodeRead, diag.CodeInternal, diag.CodeNoPackages}
}

// exitCode is what the diagnostics of a run amount to.
func exitCode(diags []diag.Diagnostic) int {
	code := exitOK
	for _, d := range diags {
		switch {
		case d.Warning:
		case slices.Contains(failures(), d.Code):
			return exitFailed
		default:
			code = exitStale
		}
	}
	return code
}
