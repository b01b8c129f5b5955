// Package cli is the idemgen command: it reads the arguments, runs the pipeline
// and is the only place that prints, writes files and decides the exit code.
//
// The flow: options.go turns arguments into options; run.go loads, checks and
// emits, and returns values; gen.go writes them, check.go compares them;
// report.go prints. What only reads the model has a file for each command (list,
// graph, schema), and writes with -o through place.go.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/internal/vet"
	"github.com/idemgen/idemgen/parser"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/templates"
)

// Exit codes.
const (
	exitOK     = 0 // nothing to say
	exitStale  = 1 // diagnostics, or files that are not current
	exitFailed = 2 // wrong usage, or something did not work
)

// Env is what the command touches from outside.
type Env struct {
	Dir    string // working directory, absolute; paths are printed relative to it
	Stdout io.Writer
	Stderr io.Writer
}

// app is the command in its environment.
type app struct {
	cwd    string
	stdout io.Writer
	stderr io.Writer
	parse  func(context.Context, parser.Config) (*parser.Result, []diag.Diagnostic)
	emit   func(*model.Package) ([]model.File, error)
	phases *phases // nil before the command runs, and in tests
}

// Main runs the command with the arguments behind its name and returns the exit
// code: 0 fine, 1 diagnostics or files that are not current, 2 wrong usage or a
// failure. An interrupt ends it before anything is written.
//
// Started as go vet starts its tool it is that tool, and does not return.
func Main(args []string, stdout, stderr io.Writer) int {
	if vet.IsToolCall(args) {
		vet.Main()
	}
	cwd, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(stderr, "idemgen: %v\n", err)
		return exitFailed
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return Run(ctx, Env{Dir: cwd, Stdout: stdout, Stderr: stderr}, args)
}

// Run is Main in an environment of the caller's. It is safe for concurrent use
// on different packages.
func Run(ctx context.Context, env Env, args []string) int {
	a := &app{cwd: env.Dir, stdout: env.Stdout, stderr: env.Stderr, parse: parser.Parse, emit: templates.Files}
	return a.main(ctx, args)
}

func (a *app) main(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == completeWord {
		return a.complete(args[1:])
	}
	opts, err := parseArgs(args)
	if err != nil {
		return a.misused(err, "idemgen help")
	}
	if opts.dir = opts.givenDir; !filepath.IsAbs(opts.dir) {
		opts.dir = filepath.Join(a.cwd, opts.dir)
	}
	if info, err := os.Stat(opts.dir); err != nil || !info.IsDir() {
		return a.fail(fmt.Errorf("-C %s: no such directory", opts.givenDir))
	}
	return a.measured(opts, func() int { return opts.command.run(a, ctx, opts) })
}

// fail reports that something did not work.
func (a *app) fail(err error) int {
	fmt.Fprintf(a.stderr, "idemgen: %v\n", err)
	return exitFailed
}

// misused reports a command line that makes no sense, and where usage is told.
func (a *app) misused(err error, help string) int {
	fmt.Fprintf(a.stderr, "idemgen: %v\nRun '%s' for usage.\n", err, help)
	return exitFailed
}

// note says what was done, on standard error.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.stderr, "idemgen: "+format+"\n", args...)
}

// rel is path as diagnostics show it: relative inside the working directory,
// absolute elsewhere.
func (a *app) rel(path string) string {
	if r, err := filepath.Rel(a.cwd, path); err == nil && filepath.IsLocal(r) {
		return r
	}
	return path
}
