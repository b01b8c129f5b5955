package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/internal/outfile"
	"github.com/idemgen/idemgen/parser/diag"
)

var initCommand = &command{
	name: "init", args: "[-modfile file] [folder]", topic: topicOptional, loads: true, flags: []string{"modfile"}, run: (*app).init,
	summary: "put the tool line, a go:generate line and an annotated sample into a module",
	about: `Init gets a module ready: it adds idemgen to the tools of go.mod (where it is not
one already), writes a doc.go with the go:generate line, a small annotated service
with a test into a folder of the module, by default the current one, generates its
wrapper, and says what to do next. It never overwrites: where a file or a name of
its own is taken it says so and changes nothing.

With -modfile the tool goes into a file of its own, such as tools.mod, made as a copy
of go.mod where it is not there yet: go.mod gets the runtime that generated code calls,
and none of what the command requires.`,
	examples: `  idemgen init                            # a sample in this folder
  idemgen init ./payments
  idemgen init -modfile=tools.mod ./payments
`,
	flagHelp: `  -modfile file   where the tool line goes, in place of go.mod
`,
}

// toolPath is the command as a tool of a module.
const toolPath = modulePath + "/cmd/idemgen"

// init puts a sample into a folder of a module.
func (a *app) init(ctx context.Context, opts *options) int {
	dir := opts.dir
	if opts.topic != "" {
		dir = filepath.Join(opts.dir, filepath.FromSlash(opts.topic))
		if filepath.IsAbs(opts.topic) {
			dir = filepath.Clean(opts.topic)
		}
	}
	in := &initializer{app: a, opts: opts, dir: dir}
	if err := in.run(ctx); err != nil {
		return a.fail(err)
	}
	return exitOK
}

// initializer is one run of init.
type initializer struct {
	*app
	opts *options
	dir  string // of the package, absolute; it may not be there yet

	module  string // path of the module
	root    string // folder of its go.mod
	pkg     string // name of the package
	path    string // import path of the package
	work    string // the go.work that is in force, or ""
	modfile string // of the tool, absolute; "" where that is go.mod
	hasTool bool
	hasLib  bool // go.mod requires the runtime
	hasLine bool // some file has the go:generate line
	files   []outfile.Change

	vendorArgs []string // of the go command, to bring the vendor folder up to date; nil without one
	vendored   bool     // that was run
}

func (in *initializer) run(ctx context.Context) error {
	for _, look := range []func(context.Context) error{in.findModule, in.findPackage} {
		if err := look(ctx); err != nil {
			return err
		}
	}
	if err := in.sample(); err != nil {
		return err
	}
	before, err := in.remember()
	if err != nil {
		return err
	}
	made, err := in.makeFolder()
	if err == nil {
		err = in.change(ctx)
	}
	if err != nil {
		in.undo(context.WithoutCancel(ctx), made, before)
		return err
	}
	in.say()
	return nil
}

// change writes the sample, adds the tool and generates.
func (in *initializer) change(ctx context.Context) error {
	if failed := (outfile.Writer{}).Apply(in.files); failed != nil {
		return errors.New(strings.TrimSpace(diag.Text(failed, in.cwd)))
	}
	if err := in.addTool(ctx); err != nil {
		return err
	}
	if err := in.vendor(ctx); err != nil {
		return err
	}
	opts := *in.opts
	opts.dir, opts.patterns = in.dir, []string{"."}
	if code := in.gen(ctx, &opts); code != exitOK {
		return fmt.Errorf("the sample could not be generated, for what is said above, and was taken away again: nothing was changed")
	}
	return nil
}

// undo takes away what a run has made, and gives go.mod and go.sum their bytes of
// before.
func (in *initializer) undo(ctx context.Context, made string, before []outfile.Change) {
	for _, f := range in.files {
		_ = os.Remove(f.Path)
	}
	if made != "" {
		_ = os.RemoveAll(made)
	}
	if changed := changedSince(before); len(changed) > 0 {
		if failed := (outfile.Writer{}).Apply(changed); failed != nil {
			fmt.Fprint(in.stderr, diag.Text(failed, in.cwd))
		}
	}
	if in.vendored {
		_, _ = in.goCommand(ctx, in.root, in.vendorArgs...)
	}
}

// makeFolder makes the package's folder, and tells which folder it had to make first.
func (in *initializer) makeFolder() (made string, err error) {
	for dir := in.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		made = dir
	}
	return made, os.MkdirAll(in.dir, 0o755)
}

// tool is how the command is run from a folder: go tool idemgen.
func (in *initializer) tool(from string) string {
	if in.modfile == "" {
		return "go tool idemgen"
	}
	name := in.modfile
	if rel, err := filepath.Rel(from, name); err == nil {
		name = rel
	}
	return "go tool -modfile=" + filepath.ToSlash(name) + " idemgen"
}

// generateLine is what go generate runs, in the package's folder.
func (in *initializer) generateLine() string { return "//go:generate " + in.tool(in.dir) }

// pattern is the package as a pattern, from where the command was started.
func (in *initializer) pattern() string {
	rel, err := filepath.Rel(in.cwd, in.dir)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return in.path
	case rel == ".":
		return "."
	}
	return "./" + filepath.ToSlash(rel)
}

// say tells what was made and what comes next. The lines that begin with $ are to be
// run as they stand.
func (in *initializer) say() {
	for _, f := range in.files {
		fmt.Fprintf(in.stdout, "wrote %s\n", in.rel(f.Path))
	}
	fmt.Fprintf(in.stdout, `wrote %[1]s, generated from the annotation in cashier.go

Next:

1. See duplicates made harmless: the sample's test clicks twenty times, and kills
   the call at every step.

   $ go test %[2]s

2. Change the annotation, or put one on a method of your own, then generate. A
   mistake is an error at its line; idemgen explain says what a method does.

   $ go generate %[2]s
   $ %[3]s explain Cashier.Pay %[2]s

3. Have CI refuse generated files that are not current.

   $ %[3]s check ./...

The directives: %[3]s docs directives. When you are done with the sample,
delete cashier.go and cashier_test.go, and run %[3]s gen %[2]s
`, in.rel(filepath.Join(in.dir, "idem_gen.go")), in.pattern(), in.tool(in.cwd))
}
