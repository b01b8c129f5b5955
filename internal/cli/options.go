package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/parser/diag"
)

// options is a parsed command line.
type options struct {
	command  *command
	dir      string          // -C, absolute
	givenDir string          // -C as given, "" without it
	tags     []string        // -tags
	format   format          // -format
	verbose  bool            // -v
	patterns []string        // packages; "." if none were given
	implied  bool            // patterns is the default
	topic    string          // of a command that has one
	given    map[string]bool // the flags that stand on the command line

	cpuProfile, memProfile string // -cpuprofile and -memprofile: files

	output  string // -o as given: a file or a folder; "" is standard output
	schema  schemaOptions
	machine string // -machine: one state machine, "" for all
	render  string // -renderer: the command that makes SVG of DOT
	modfile string // -modfile as given: where init puts the tool, "" for go.mod
}

// parseArgs reads a command line. Flags may stand anywhere, with one dash or
// two; "--" ends them. Without a command the command is gen.
func parseArgs(args []string) (*options, error) {
	opts := &options{given: map[string]bool{}}
	fs := newFlags(opts)
	return opts.parse(fs, args)
}

// newFlags are all flags of all commands, with their places in opts.
func newFlags(opts *options) *flag.FlagSet {
	fs := flag.NewFlagSet("idemgen", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.StringVar(&opts.givenDir, "C", "", "")
	fs.Var((*tagList)(&opts.tags), "tags", "")
	fs.Var(&opts.format, "format", "")
	fs.BoolVar(&opts.verbose, "v", false, "")
	fs.StringVar(&opts.cpuProfile, "cpuprofile", "", "")
	fs.StringVar(&opts.memProfile, "memprofile", "", "")
	fs.StringVar(&opts.output, "o", "", "")
	fs.StringVar(&opts.machine, "machine", "", "")
	fs.StringVar(&opts.render, "renderer", "", "")
	fs.StringVar(&opts.modfile, "modfile", "", "")
	opts.schema.flags(fs)
	return fs
}

// parse reads a command line.
func (opts *options) parse(fs *flag.FlagSet, args []string) (*options, error) {
	words, err := interspersed(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		opts.command = commandNamed("help")
		for _, w := range append(words, fs.Args()...) {
			if commandNamed(w) != nil {
				opts.topic = w
				break
			}
		}
		return opts, nil
	}
	if err != nil {
		return nil, err
	}
	opts.command = commandNamed("gen")
	if len(words) > 0 {
		if c := commandNamed(words[0]); c != nil {
			opts.command, words = c, words[1:]
		} else if meant := meantCommand(words[0]); meant != "" {
			return nil, fmt.Errorf("unknown command %q; did you mean %q? (a package of that name is written ./%s)", words[0], meant, words[0])
		}
	}
	fs.Visit(func(f *flag.Flag) { opts.given[f.Name] = true })
	if err := opts.settle(); err != nil {
		return nil, err
	}
	c := opts.command
	switch {
	case c.topic == topicNeeded && len(words) == 0:
		return nil, fmt.Errorf("idemgen %s needs an argument: idemgen %[1]s %s", c.name, c.args)
	case c.topic != topicNone && len(words) > 0:
		opts.topic, words = words[0], words[1:]
	}
	switch {
	case c.packages:
		opts.patterns = words
		if len(words) == 0 {
			opts.implied, opts.patterns = true, []string{"."}
			if c.everything {
				opts.patterns = []string{"./..."}
			}
		}
	case len(words) > 0:
		return nil, fmt.Errorf("idemgen %s takes no argument %q", opts.command.name, words[0])
	}
	return opts, nil
}

// interspersed parses flags that may stand before, between and behind the other
// words, and returns those words. Nothing behind "--" is a flag.
func interspersed(fs *flag.FlagSet, args []string) ([]string, error) {
	var words, tail []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, tail = args[:i], args[i+1:]
	}
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return words, err
		}
		if args = fs.Args(); len(args) > 0 {
			words, args = append(words, args[0]), args[1:]
		}
	}
	return append(words, tail...), nil
}

// meantCommand is the command that a misspelt bare word stood for, or "": words
// with a dot or a slash are packages.
func meantCommand(word string) string {
	if strings.ContainsAny(word, "./\\") {
		return ""
	}
	names := make([]string, len(commands()))
	for i, c := range commands() {
		names[i] = c.name
	}
	return diag.Suggest(word, names)
}

// tagList is the value of -tags: build tags, separated by commas.
type tagList []string

func (t *tagList) String() string { return strings.Join(*t, ",") }

func (t *tagList) Set(s string) error {
	*t = nil
	for _, tag := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		*t = append(*t, tag)
	}
	return nil
}

// takenFlags are the flags that a command takes; nil is one that is not known yet.
func takenFlags(c *command) []string {
	taken := []string{"C", "v", "cpuprofile", "memprofile"}
	if c == nil || c.packages || c.loads {
		taken = append(taken, "tags", "format")
	}
	if c != nil {
		taken = append(taken, c.flags...)
	}
	return taken
}

// settle fills in what the command decides: it refuses flags of other commands,
// and forms that the command does not print in.
func (o *options) settle() error {
	for _, name := range slices.Sorted(maps.Keys(o.given)) {
		if !slices.Contains(takenFlags(o.command), name) {
			return fmt.Errorf("flag -%s is none of idemgen %s; run 'idemgen help %[2]s'", name, o.command.name)
		}
	}
	formats := o.command.formats
	if formats == nil {
		formats = []format{formatText, formatJSON, formatGitHub}
	}
	if !o.given["format"] {
		o.format = formats[0]
		return nil
	}
	if !slices.Contains(formats, o.format) {
		words := make([]string, len(formats))
		for i, f := range formats {
			words[i] = string(f)
		}
		last := len(words) - 1
		return fmt.Errorf("invalid value %q for flag -format: %s or %s", o.format, strings.Join(words[:last], ", "), words[last])
	}
	return nil
}

// format is the value of -format: how a command prints what it is asked for.
type format string

// Formats of diagnostics and lists.
const (
	formatText   format = "text"   // one line each, for people and editors
	formatJSON   format = "json"   // one document, for programs
	formatGitHub format = "github" // workflow commands, shown beside the changed lines
)

func (f *format) String() string { return string(*f) }

// Set takes any word: which ones are forms depends on the command (settle).
func (f *format) Set(s string) error {
	*f = format(s)
	return nil
}
