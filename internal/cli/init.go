package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/idemgen/idemgen/internal/outfile"
	"github.com/idemgen/idemgen/parser/diag"
)

var initCommand = &command{
	name: "init", args: "[folder]", topic: topicOptional, run: (*app).init,
	summary: "put the tool line, a go:generate line and an annotated sample into a module",
	about: `Init gets a module ready: it adds idemgen to the tools of go.mod (where it is not
one already), writes a doc.go with the go:generate line, a small annotated service
with a test into a folder of the module, by default the current one, generates its
wrapper, and says what to do next. It never overwrites: where a file or a name of
its own is taken it says so and changes nothing.`,
}

// toolPath is the command as a tool of a module.
const toolPath = modulePath + "/cmd/idemgen"

// generateLine is what go generate runs.
const generateLine = "//go:generate go tool idemgen"

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
	hasTool bool
	hasLine bool // some file has the go:generate line
	files   []outfile.Change
}

func (in *initializer) run(ctx context.Context) error {
	if err := in.findModule(ctx); err != nil {
		return err
	}
	if err := in.findPackage(); err != nil {
		return err
	}
	if err := in.sample(); err != nil {
		return err
	}
	made, err := in.makeFolder()
	if err != nil {
		return err
	}
	undo := func() {
		for _, f := range in.files {
			_ = os.Remove(f.Path)
		}
		if made != "" {
			_ = os.RemoveAll(made)
		}
	}
	if failed := (outfile.Writer{}).Apply(in.files); failed != nil {
		undo()
		return errors.New(strings.TrimSpace(diag.Text(failed, in.cwd)))
	}
	if err := in.addTool(ctx); err != nil {
		undo()
		return err
	}
	opts := *in.opts
	opts.dir, opts.patterns = in.dir, []string{"."}
	if code := in.gen(ctx, &opts); code != exitOK {
		return fmt.Errorf("the sample is written, but could not be generated: see above, then run 'go generate %s'", in.pattern())
	}
	in.say()
	return nil
}

// goCommand runs the go command in a folder.
func (in *initializer) goCommand(ctx context.Context, dir string, args ...string) (stdout []byte, err error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		text := strings.TrimSpace(said.String())
		if text == "" {
			text = err.Error()
		}
		return nil, errors.New(text)
	}
	return out, nil
}

// findModule finds the module that the folder belongs to, and its tools.
func (in *initializer) findModule(ctx context.Context) error {
	there := in.dir // the folder itself may not be there yet
	for {
		info, err := os.Stat(there)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file, not a folder", in.rel(there))
		}
		if err == nil {
			break
		}
		if parent := filepath.Dir(there); parent != there {
			there = parent
			continue
		}
		return fmt.Errorf("%s: no such folder", in.rel(in.dir))
	}
	out, err := in.goCommand(ctx, there, "env", "GOMOD")
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	gomod := strings.TrimSpace(string(out))
	if gomod == "" || gomod == os.DevNull {
		return fmt.Errorf("%s is in no module: run 'go mod init example.com/yours' first, with the path that your module is to have", in.rel(there))
	}
	in.root = filepath.Dir(gomod)
	out, err = in.goCommand(ctx, in.root, "mod", "edit", "-json")
	if err != nil {
		return fmt.Errorf("%s: %w", in.rel(gomod), err)
	}
	var mod struct {
		Module struct{ Path string }
		Tool   []struct{ Path string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return fmt.Errorf("%s: %w", in.rel(gomod), err)
	}
	in.module = mod.Module.Path
	for _, t := range mod.Tool {
		in.hasTool = in.hasTool || t.Path == toolPath
	}
	inside, err := filepath.Rel(in.root, in.dir)
	if err != nil || !filepath.IsLocal(inside) {
		return fmt.Errorf("%s is outside of the module in %s", in.rel(in.dir), in.rel(in.root))
	}
	in.path = path.Join(in.module, filepath.ToSlash(inside))
	return nil
}

var majorSuffix = regexp.MustCompile(`^v[0-9]+$`)

// findPackage finds the name of the package, and refuses one in which the sample has
// no room.
func (in *initializer) findPackage() error {
	entries, err := os.ReadDir(in.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	fset := token.NewFileSet()
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		file := filepath.Join(in.dir, name)
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("%s can't be read as Go: %w", in.rel(file), err)
		}
		in.pkg = f.Name.Name
		for _, g := range f.Comments {
			for _, c := range g.List {
				in.hasLine = in.hasLine || strings.HasPrefix(c.Text, "//go:generate ") && strings.Contains(c.Text, "idemgen")
			}
		}
		for _, d := range f.Decls {
			if taken := declares(d); taken != "" {
				return fmt.Errorf("%s declares %s, which the sample is to declare: run 'idemgen init ./sample' for a folder of its own; nothing was changed",
					in.rel(fset.Position(d.Pos()).String()), taken)
			}
		}
	}
	if in.pkg == "" {
		in.pkg = packageName(in.path)
	}
	return nil
}

// sampleNames are what the sample declares.
var sampleNames = map[string]bool{"Cashier": true, "Receipt": true, "IdempotentCashier": true, "NewIdempotentCashier": true}

// declares is the name of the sample's that a declaration takes, or "".
func declares(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && sampleNames[d.Name.Name] {
			return d.Name.Name
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if sampleNames[s.Name.Name] {
					return s.Name.Name
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if sampleNames[n.Name] {
						return n.Name
					}
				}
			}
		}
	}
	return ""
}

var noIdentifier = regexp.MustCompile(`[^a-z0-9]+`)

// packageName is a package's name after its import path: its last part that is no
// major version, as far as it is an identifier.
func packageName(importPath string) string {
	last := path.Base(importPath)
	if majorSuffix.MatchString(last) && path.Dir(importPath) != "." {
		last = path.Base(path.Dir(importPath))
	}
	last = strings.TrimPrefix(last, "go-")
	name := noIdentifier.ReplaceAllString(strings.ToLower(last), "")
	name = strings.TrimLeft(name, "0123456789")
	if name == "" || token.IsKeyword(name) {
		return "sample"
	}
	return name
}

// sample plans the files. One that is there already is not touched.
func (in *initializer) sample() error {
	files := [][2]string{{"cashier.go", sampleSource}, {"cashier_test.go", sampleTest}}
	if !in.hasLine {
		files = append(files, [2]string{"doc.go", sampleDoc})
	}
	for _, f := range files {
		name := filepath.Join(in.dir, f[0])
		if _, err := os.Lstat(name); err == nil {
			if f[0] == "doc.go" {
				return fmt.Errorf("%s is there already, without the line that go generate runs: add\n\n\t%s\n\nto it and run init again; nothing was changed", in.rel(name), generateLine)
			}
			return fmt.Errorf("%s is there already: run 'idemgen init ./sample' for a folder of its own; nothing was changed", in.rel(name))
		}
		text := strings.NewReplacer("PACKAGE", in.pkg, "GENERATE", generateLine).Replace(f[1])
		in.files = append(in.files, outfile.Change{Path: name, State: outfile.Missing, New: []byte(text)})
	}
	if name := filepath.Join(in.dir, "idem_gen.go"); !in.hasLine {
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s is there already; nothing was changed", in.rel(name))
		}
	}
	return nil
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

// addTool has the go command add idemgen to the tools of go.mod, at the version that
// runs.
func (in *initializer) addTool(ctx context.Context) error {
	if in.hasTool || in.module == modulePath {
		return nil
	}
	version := "latest"
	if info, ok := debug.ReadBuildInfo(); ok && released.MatchString(moduleVersion(info)) {
		version = moduleVersion(info)
	}
	args := []string{"get", "-tool", toolPath + "@" + version}
	in.note("running go %s", strings.Join(args, " "))
	if _, err := in.goCommand(ctx, in.root, args...); err != nil {
		return fmt.Errorf("idemgen could not be added to go.mod, so that nothing was changed:\n\n\t%s\n\nrun this when it can be reached, then init again:\n\n\tgo %s",
			strings.ReplaceAll(err.Error(), "\n", "\n\t"), strings.Join(args, " "))
	}
	return nil
}

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
	fmt.Fprintf(in.stdout, `wrote %s, generated from the annotation in cashier.go

Next:

1. See duplicates made harmless: the sample's test clicks twenty times, and kills
   the call at every step.

   $ go test %s

2. Change the annotation, or put one on a method of your own, then generate. A
   mistake is an error at its line; idemgen explain says what a method does.

   $ go generate %s
   $ go tool idemgen explain Cashier.Pay %[3]s

3. Have CI refuse generated files that are not current.

   $ go tool idemgen check ./...

The directives: go tool idemgen docs directives. When you are done with the sample,
delete cashier.go and cashier_test.go, and run go generate.
`, in.rel(filepath.Join(in.dir, "idem_gen.go")), in.pattern(), in.pattern())
}
