package cli

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
)

// command is one sub-command: a row of the help text and what runs.
type command struct {
	name     string
	args     string // for the usage line
	summary  string
	packages bool // takes package patterns
	// topic tells whether the first word names something else than a package.
	topic topicRule
	// everything has ./... as the default pattern, in place of the current folder.
	everything bool
	about      string
	examples   string   // command lines, with a comment behind each
	flags      []string // names of the flags that are its own
	flagHelp   string   // what they do
	formats    []format // values of -format, the default first; nil is those of diagnostics
	loads      bool     // reads packages that it does not take: -tags and -format say how
	run        func(*app, context.Context, *options) int
}

// topicRule says whether a command's first word is a topic.
type topicRule uint8

const (
	topicNone topicRule = iota
	topicOptional
	topicNeeded
)

// commands are all sub-commands in the order of the help text.
func commands() []*command {
	return []*command{
		{
			name: "gen", args: "[packages]", packages: true, run: (*app).gen,
			summary: "generate; the default when no command is given",
			about: `Gen writes idem_gen.go into each named package that has //idem: directives
(idem_gen_test.go where they stand in test files), and removes the generated
file of a package whose directives are gone. Without packages it works on the
one in the current folder, as a //go:generate line needs it.

Files are written only when every package succeeded and only when their bytes
differ. Gen prints nothing unless something is wrong; -v names what it wrote.`,
			examples: `  idemgen gen                             # the package in this folder
  idemgen gen ./...                       # every package of the module
  idemgen gen -v -tags=integration ./store
`,
		},
		{
			name: "check", args: "[packages]", packages: true, run: (*app).check,
			summary: "tell whether the checked-in files are current, and show the difference",
			about: `Check generates in memory and compares: missing, stale and orphaned files are
named on standard error and shown as a unified diff on standard output. It writes
nothing and exits 1 if a file is not current, so that CI can run it.`,
			examples: `  idemgen check ./...
  idemgen check -format=github ./...      # findings beside the changed lines
`,
		},
		initCommand,
		listCommand,
		explainCommand,
		vetCommand,
		graphCommand,
		schemaCommand,
		docsCommand,
		completionCommand,
		versionCommand,
		{
			name: "help", args: "[command]", topic: topicOptional, run: (*app).help,
			summary: "explain a command",
			about:   "Help explains a command. idemgen schema -help says the same as idemgen help schema.",
			examples: `  idemgen help schema
`,
		},
	}
}

// commandNamed is the command of that name, or nil.
func commandNamed(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

// The flags that all commands take, and what their form of output is called.
const (
	flagHelp = `Flags, with one dash or two, before or behind the command:
  -C dir          work as if started in dir
  -tags list      build tags, separated by commas
`
	formatHelp = `  -format form    how diagnostics are printed: text (default), json or github
`
	verboseHelp = `  -v              name the files that were written or removed, and tell how long each
                  phase took
  -cpuprofile f   write a processor profile, for go tool pprof; -memprofile f one of
                  memory
`
	exitHelp = `
Exit codes: 0 fine, 1 diagnostics or files that are not current, 2 wrong usage or
a failure.
`
)

func (a *app) help(_ context.Context, opts *options) int {
	if opts.topic == "" {
		usage(a.stdout)
		return exitOK
	}
	c := commandNamed(opts.topic)
	if c == nil {
		return a.fail(fmt.Errorf("no command %q; run 'idemgen help'", opts.topic))
	}
	line := "idemgen " + c.name
	if c.args != "" {
		line += " " + c.args
	}
	flags := c.flagHelp
	if c.packages || c.loads {
		line += " [flags]"
		form := formatHelp
		if c.formats != nil {
			form = "" // said among its own flags
		}
		flags = flagHelp + form + c.flagHelp + verboseHelp
	}
	fmt.Fprintf(a.stdout, "Usage: %s\n\n%s\n\nExamples:\n%s", line, c.about, c.examples)
	if flags != "" {
		fmt.Fprintf(a.stdout, "\n%s", flags)
	}
	fmt.Fprint(a.stdout, exitHelp)
	return exitOK
}

func usage(w io.Writer) {
	fmt.Fprint(w, `Idemgen writes idempotent wrappers for Go methods that carry //idem: directives.

Usage: idemgen [command] [flags] [packages]

Commands:
`)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(tw, "  %s\t%s\t%s\n", c.name, c.args, c.summary)
	}
	tw.Flush()
	fmt.Fprintf(w, `
Packages are named as for the go command: ., ./..., example.com/shop/orders. In CI
people type: idemgen check ./...

Examples:
  idemgen ./...                           # generate for every package of the module
  idemgen check ./...                     # as CI does
  idemgen explain Service.Pay             # what guards a method, and what a crash leaves

%s%s%s
What else a command takes is in its help: idemgen help schema, or idemgen schema -help.
%s`, flagHelp, formatHelp, verboseHelp, exitHelp)
}
