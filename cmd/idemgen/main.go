// Command idemgen generates idempotent wrappers from annotated Go source.
package main

import (
	"os"
	"runtime/debug"

	"github.com/idemgen/idemgen/internal/cli"
)

// gcPercent keeps the heap of a run over many packages small, for a few hundredths of
// its time. GOGC in the environment stands above it.
const gcPercent = 70

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
