// Package release tries a release before it is made: it publishes the modules of
// this repository to a folder laid out as a module proxy, and walks through the
// README's tour in an empty folder that gets idemgen from there.
//
// The flow: ReadModules finds what MODULES lists, Publish writes the proxy tree,
// ParseTour takes the marked blocks out of the README, and Tour.Walk runs them.
package release

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Module is one module of the repository.
type Module struct {
	Dir  string // slash-separated, relative to the root: ".", "examples"
	Path string // module path
	Mod  *modfile.File
}

// Published tells whether users can require the module: examples, what lies
// under internal, and modules that only test another (…/sqlstoretest) are not
// for them.
func (m Module) Published() bool {
	elems := strings.Split(m.Dir, "/")
	last := elems[len(elems)-1]
	onlyTests := len(elems) > 1 && last == elems[len(elems)-2]+"test"
	return !slices.Contains(elems, "internal") && elems[0] != "examples" && !onlyTests
}

// ReadModules reads the list of modules in root/MODULES: one folder per line,
// "#" starts a comment. It parses each go.mod.
func ReadModules(root string) ([]Module, error) {
	list, err := os.ReadFile(filepath.Join(root, "MODULES"))
	if err != nil {
		return nil, err
	}
	var mods []Module
	for line := range strings.Lines(string(list)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(line), "go.mod")
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("MODULES lists %s: %w", line, err)
		}
		mod, err := modfile.Parse(file, data, nil)
		if err != nil {
			return nil, err
		}
		if mod.Module == nil {
			return nil, fmt.Errorf("%s has no module line", file)
		}
		mods = append(mods, Module{Dir: path.Clean(line), Path: mod.Module.Mod.Path, Mod: mod})
	}
	if len(mods) == 0 {
		return nil, fmt.Errorf("MODULES lists nothing")
	}
	return mods, nil
}

// CheckVersions tells whether the published modules can be released together as
// version: each must require its siblings at exactly that version, and the root
// must have no replace line. (Those of nested modules serve development and are
// ignored by whoever requires them.)
func CheckVersions(mods []Module, version string) error {
	ours := map[string]bool{}
	for _, m := range mods {
		ours[m.Path] = true
	}
	for _, m := range mods {
		if !m.Published() {
			continue
		}
		if m.Dir == "." && len(m.Mod.Replace) > 0 {
			return fmt.Errorf("go.mod of the root module has a replace line for %s", m.Mod.Replace[0].Old.Path)
		}
		for _, r := range m.Mod.Require {
			if ours[r.Mod.Path] && r.Mod.Version != version {
				return fmt.Errorf("%s/go.mod requires %s at %s, not at %s", m.Dir, r.Mod.Path, r.Mod.Version, version)
			}
		}
	}
	return nil
}
