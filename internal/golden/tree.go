package golden

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Tree is a folder at one moment.
type Tree map[string]Entry

// Entry is one file of a Tree, under its slash-separated path.
type Entry struct {
	Data []byte
	Mode fs.FileMode
	Time time.Time
}

// ReadTree reads a folder. Folders themselves are not entries; a link is, with
// its target as data.
func ReadTree(dir string) (Tree, error) {
	t := Tree{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		e := Entry{Mode: info.Mode(), Time: info.ModTime()}
		if e.Mode&fs.ModeSymlink != 0 {
			var to string
			to, err = os.Readlink(p)
			e.Data = []byte(to)
		} else {
			e.Data, err = os.ReadFile(p)
		}
		t[filepath.ToSlash(rel)] = e
		return err
	})
	return t, err
}

// IsOutput tells whether a path has the name of a generated file.
func IsOutput(name string) bool {
	return model.IsOutput(path.Base(name))
}

// Outputs are the regular files with the name of a generated file.
func (t Tree) Outputs() map[string][]byte {
	out := map[string][]byte{}
	for name, e := range t {
		if IsOutput(name) && e.Mode.IsRegular() {
			out[name] = e.Data
		}
	}
	return out
}

// Changed lists the paths where two trees differ in bytes, kind or permissions,
// and with times in modification time too; in order.
func (t Tree) Changed(after Tree, times bool) []string {
	differ := map[string]bool{}
	for name, a := range t {
		b, ok := after[name]
		if !ok || a.Mode != b.Mode || !bytes.Equal(a.Data, b.Data) || times && !a.Time.Equal(b.Time) {
			differ[name] = true
		}
	}
	for name := range after {
		if _, ok := t[name]; !ok {
			differ[name] = true
		}
	}
	return sortedKeys(differ)
}

// Uncovered are the diagnostic codes that no scenario wants, in the table's order.
func Uncovered(scenarios []*Scenario) []diag.Code {
	var out []diag.Code
	for _, info := range diag.Codes() {
		covered := false
		for _, s := range scenarios {
			covered = covered || bytes.Contains(s.Diag, []byte(info.Code+": "))
		}
		if !covered {
			out = append(out, info.Code)
		}
	}
	return out
}
