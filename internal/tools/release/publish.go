package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Publish writes every published module of the repository at root into dest, a
// folder that serves as GOPROXY=file://dest. Only files that git knows or would
// add are packed, as a release from the repository would.
func Publish(root, dest, version string, mods []Module) error {
	files, err := repositoryFiles(root)
	if err != nil {
		return err
	}
	for _, m := range mods {
		if !m.Published() {
			continue
		}
		if err := publishOne(root, dest, version, m, mods, files); err != nil {
			return fmt.Errorf("publish %s: %w", m.Path, err)
		}
	}
	return nil
}

func publishOne(root, dest, version string, m Module, mods []Module, files []string) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(dest, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.Dir), "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := zip.Create(&packed, module.Version{Path: m.Path, Version: version}, moduleFiles(root, m, mods, files)); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": info,
		version + ".mod":  gomod,
		version + ".zip":  packed.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// repositoryFiles lists the files of the repository, slash-separated and
// relative to root.
func repositoryFiles(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	names := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	slices.Sort(names)
	return slices.Compact(names), nil
}

// moduleFiles are the files of one module: those below its folder and not below
// the folder of a module nested in it. A nested module without a licence gets
// the repository's, as the go command does it for a release.
func moduleFiles(root string, m Module, mods []Module, files []string) []zip.File {
	var out []zip.File
	licence := false
	for _, name := range files {
		if owner(name, mods).Dir != m.Dir {
			continue
		}
		full := filepath.Join(root, filepath.FromSlash(name))
		if info, err := os.Lstat(full); err != nil || !info.Mode().IsRegular() {
			continue // deleted but not yet committed, or a link
		}
		rel := name
		if m.Dir != "." {
			rel = strings.TrimPrefix(name, m.Dir+"/")
		}
		licence = licence || rel == "LICENSE"
		out = append(out, diskFile{rel, full})
	}
	if !licence {
		full := filepath.Join(root, "LICENSE")
		if _, err := os.Stat(full); !errors.Is(err, os.ErrNotExist) {
			out = append(out, diskFile{"LICENSE", full})
		}
	}
	return out
}

// owner is the module that a file belongs to: the one with the deepest folder.
func owner(name string, mods []Module) Module {
	var best Module
	for _, m := range mods {
		if m.Dir == "." || strings.HasPrefix(name, m.Dir+"/") {
			if best.Dir == "" || best.Dir == "." || len(m.Dir) > len(best.Dir) && m.Dir != "." {
				best = m
			}
		}
	}
	return best
}

// diskFile is a file to be packed.
type diskFile struct{ rel, full string }

func (f diskFile) Path() string                 { return path.Clean(f.rel) }
func (f diskFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.full) }
func (f diskFile) Open() (io.ReadCloser, error) { return os.Open(f.full) }
