// Command idemgen generates idempotent wrappers from annotated Go source.
package main

import (
	"os"

	"github.com/idemgen/idemgen/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
