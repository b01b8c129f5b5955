package outfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// tempPrefix and tempSuffix frame the name of a file on its way. The go command
// ignores names that start with a dot.
const (
	tempPrefix = ".idemgen-"
	tempSuffix = ".tmp"
	// tempStale is the age at which a temporary file must be the left-over of a
	// killed run and may be cleared.
	tempStale = time.Hour
	// prepareLimit bounds how many files are written and synced at a time.
	prepareLimit = 16
)

// Writer applies changes. The zero value is ready to use and works on the file
// system. It holds no state and is safe for concurrent use on different files.
type Writer struct {
	// Rename moves a finished file into place; nil is os.Rename. Tests of
	// crashes put their own here.
	Rename func(from, to string) error
}

// prepared is a change with its new content on disk under a temporary name.
type prepared struct {
	temp   string // "" for an orphan
	failed *diag.Diagnostic
}

// Apply writes all changes or, on an error while preparing, none: the contents
// are written and synced to temporary files in the folders of their targets,
// then renamed in order, and only then orphans are removed. A kill at any point
// leaves every file old or new. Permissions of replaced files are kept. A failure
// is a diagnostic with the path; after one nothing is removed.
func (w Writer) Apply(changes []Change) []diag.Diagnostic {
	rename := w.Rename
	if rename == nil {
		rename = os.Rename
	}
	temps := prepareAll(changes)
	defer func() {
		for _, t := range temps {
			if t.temp != "" {
				os.Remove(t.temp)
			}
		}
	}()
	var failures []diag.Diagnostic
	for _, t := range temps {
		if t.failed != nil {
			failures = append(failures, *t.failed)
		}
	}
	if failures != nil {
		return failures
	}
	for i, c := range changes {
		if c.State == Orphan {
			continue
		}
		if err := rename(temps[i].temp, c.Path); err != nil {
			return []diag.Diagnostic{failure(c.Path, "replaced", err)}
		}
		temps[i].temp = ""
	}
	for _, c := range changes {
		if c.State != Orphan {
			continue
		}
		if err := os.Remove(c.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return []diag.Diagnostic{failure(c.Path, "removed", err)}
		}
	}
	return nil
}

// prepareAll writes the temporary files, several at a time because each waits
// for the disk.
func prepareAll(changes []Change) []prepared {
	clearLeftovers(changes)
	out := make([]prepared, len(changes))
	slots := make(chan struct{}, prepareLimit)
	var wg sync.WaitGroup
	for i, c := range changes {
		if c.State == Orphan {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			out[i] = prepare(c)
		})
	}
	wg.Wait()
	return out
}

func prepare(c Change) prepared {
	name := filepath.Join(filepath.Dir(c.Path), tempPrefix+rand.Text()+tempSuffix)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		d := failure(c.Path, "written", err)
		return prepared{failed: &d}
	}
	_, err = f.Write(c.New)
	if err == nil && c.Mode != 0 {
		err = f.Chmod(c.Mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(name)
		d := failure(c.Path, "written", err)
		return prepared{failed: &d}
	}
	return prepared{temp: name}
}

// clearLeftovers removes temporary files that a killed run left in the folders
// about to be written. Fresh ones may belong to a run beside this one and stay.
func clearLeftovers(changes []Change) {
	seen := ""
	for _, c := range changes {
		dir := filepath.Dir(c.Path)
		if dir == seen {
			continue
		}
		seen = dir
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // preparing will report it
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), tempPrefix) || !strings.HasSuffix(e.Name(), tempSuffix) {
				continue
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > tempStale {
				os.Remove(filepath.Join(dir, e.Name()))
			}
		}
	}
}

func failure(path, what string, err error) diag.Diagnostic {
	return diag.New(diag.CodeWrite, model.Pos{File: path}, "the file can't be %s: %s", what, reason(err))
}
