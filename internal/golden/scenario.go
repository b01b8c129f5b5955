// Package golden runs the scenarios of testdata/golden: each is a txtar archive
// with a tree of Go packages and what idemgen makes of it.
//
// The name of the archive is the hazard: once_ctx_last.txtar, and err_… where
// diagnostics are wanted. Its comment says in a sentence what is right. Files:
//
//	orders/orders.go       input, below the folder of the scenario
//	flags                  flags of the command, one per line: -tags=integration
//	packages               patterns, one per line; ./... without it
//	setup                  changes to the input that an archive can't hold:
//	                       crlf FILE, symlink FILE TARGET, mkdir FOLDER
//	want/orders/idem_gen.go  a file that gen must leave; all outputs must be wanted
//	want.diag              the diagnostics, with paths relative to the scenario
//	want.stdout            what the program prints, for a scenario whose root
//	                       folder is a package main
//
// A scenario lives in one module with all others: its packages are imported as
// example.com/golden/NAME/…. One that brings its own go.mod is a module of its own;
// $IDEMGEN in it is the folder of this repository.
package golden

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// ModulePath is the module that all scenarios without a go.mod share.
const ModulePath = "example.com/golden"

// Scenario is one archive, taken apart.
type Scenario struct {
	Name     string // without .txtar
	File     string // path of the archive
	Comment  string
	Flags    []string
	Packages []string
	Setup    [][]string // verb and operands
	Input    []txtar.File
	Want     map[string][]byte // output files, by slash-separated path
	Diag     []byte
	Stdout   []byte // nil when no program is run
	archive  *txtar.Archive
}

// Negative tells whether the scenario wants the run to fail.
func (s *Scenario) Negative() bool { return strings.HasPrefix(s.Name, "err_") }

// OwnModule tells whether the scenario brings its own go.mod.
func (s *Scenario) OwnModule() bool {
	return slices.ContainsFunc(s.Input, func(f txtar.File) bool { return f.Name == "go.mod" || f.Name == "go.work" })
}

// Load reads an archive. An error names what is wrong with its form.
func Load(file string) (*Scenario, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	a := txtar.Parse(data)
	s := &Scenario{
		Name: strings.TrimSuffix(filepath.Base(file), ".txtar"), File: file,
		Comment: strings.TrimSpace(string(a.Comment)), Packages: []string{"./..."},
		Want: map[string][]byte{}, archive: a,
	}
	if s.Comment == "" {
		return nil, fmt.Errorf("%s: the comment in front of the first file must say what is right", file)
	}
	seen := map[string]bool{}
	for _, f := range a.Files {
		if seen[f.Name] {
			return nil, fmt.Errorf("%s: two files %s", file, f.Name)
		}
		seen[f.Name] = true
		if f.Name != path.Clean(f.Name) || !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return nil, fmt.Errorf("%s: file name %q leaves the scenario", file, f.Name)
		}
		switch out, isOutput := strings.CutPrefix(f.Name, "want/"); {
		case isOutput:
			s.Want[out] = f.Data
		case f.Name == "want.diag":
			s.Diag = f.Data
		case f.Name == "want.stdout":
			s.Stdout = bytes.Clone(f.Data)
			if s.Stdout == nil {
				s.Stdout = []byte{}
			}
		case strings.HasPrefix(f.Name, "want"):
			return nil, fmt.Errorf("%s: unknown section %s", file, f.Name)
		case f.Name == "flags":
			s.Flags = words(f.Data)
		case f.Name == "packages":
			s.Packages = words(f.Data)
		case f.Name == "setup":
			for line := range strings.Lines(string(f.Data)) {
				if w := strings.Fields(line); len(w) > 0 {
					s.Setup = append(s.Setup, w)
				}
			}
		default:
			s.Input = append(s.Input, f)
		}
	}
	if len(s.Input) == 0 {
		return nil, fmt.Errorf("%s: no input files", file)
	}
	if s.Negative() && (s.Stdout != nil || len(s.Want) > 0) {
		return nil, fmt.Errorf("%s: a scenario that fails leaves no output", file)
	}
	return s, nil
}

// words are the lines of a section.
func words(data []byte) []string {
	return strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' || r == '\r' })
}

// Extract writes the input below dir and makes the changes of setup.
func (s *Scenario) Extract(dir, repository string) error {
	for _, f := range s.Input {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		data := f.Data
		if base := path.Base(f.Name); base == "go.mod" || base == "go.work" {
			data = bytes.ReplaceAll(data, []byte("$IDEMGEN"), []byte(repository))
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	for _, w := range s.Setup {
		if err := setup(dir, w); err != nil {
			return fmt.Errorf("setup: %s: %w", strings.Join(w, " "), err)
		}
	}
	return nil
}

func setup(dir string, w []string) error {
	if len(w) < 2 {
		return fmt.Errorf("an operand is missing")
	}
	name := filepath.Join(dir, filepath.FromSlash(w[1]))
	switch {
	case w[0] == "crlf" && len(w) == 2:
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), 0o644)
	case w[0] == "symlink" && len(w) == 3:
		return os.Symlink(filepath.FromSlash(w[2]), name)
	case w[0] == "mkdir" && len(w) == 2:
		return os.MkdirAll(name, 0o755)
	}
	return fmt.Errorf("unknown; known are crlf FILE, symlink FILE TARGET, mkdir FOLDER")
}

// Update rewrites the archive with new wants: sections keep their place, new ones
// come last in order of their names, those that are not wanted any more go.
func (s *Scenario) Update(want map[string][]byte, diags, stdout []byte) error {
	sections := map[string][]byte{}
	for name, data := range want {
		sections["want/"+name] = data
	}
	if len(diags) > 0 {
		sections["want.diag"] = diags
	}
	if s.Stdout != nil {
		sections["want.stdout"] = stdout
	}
	var files []txtar.File
	for _, f := range s.archive.Files {
		if strings.HasPrefix(f.Name, "want") {
			data, ok := sections[f.Name]
			if !ok {
				continue
			}
			f.Data = data
			delete(sections, f.Name)
		}
		files = append(files, f)
	}
	for _, name := range sortedKeys(sections) {
		files = append(files, txtar.File{Name: name, Data: sections[name]})
	}
	out := txtar.Format(&txtar.Archive{Comment: s.archive.Comment, Files: files})
	if old, err := os.ReadFile(s.File); err == nil && bytes.Equal(old, out) {
		return nil
	}
	return os.WriteFile(s.File, out, 0o644)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
