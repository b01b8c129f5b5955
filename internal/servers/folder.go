package servers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	folderPrefix = "idemgen-servers-"
	folderLock   = "lock"
	// roomNeeded is what a file system must still hold, in bytes, to be used first.
	roomNeeded = 1 << 30
	// sweepAge is how old a folder must be before another process may take it for
	// abandoned; a younger one may not have its lock yet.
	sweepAge = time.Minute
)

// folder is the temporary folder of one server. Its lock tells other processes that
// it is in use.
type folder struct {
	path string
	lock *os.File
}

// newFolder makes a folder that belongs to id, on a file system in memory if there
// is one with enough room.
func newFolder(id *identity) (*folder, error) {
	base, err := baseFolder(id != nil)
	if err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(base, folderPrefix)
	if err != nil {
		return nil, err
	}
	f := &folder{path: path}
	if f.lock, err = lockFile(filepath.Join(path, folderLock), os.O_CREATE); err != nil {
		f.remove()
		return nil, err
	}
	if err := f.give(path, id); err != nil {
		f.remove()
		return nil, err
	}
	return f, nil
}

// sub makes a folder inside that belongs to id.
func (f *folder) sub(name string, id *identity) (string, error) {
	path := filepath.Join(f.path, name)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", err
	}
	return path, f.give(path, id)
}

// write makes a file inside that belongs to id and nobody else may read.
func (f *folder) write(name, text string, id *identity) (string, error) {
	path := filepath.Join(f.path, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	return path, f.give(path, id)
}

func (f *folder) give(path string, id *identity) error {
	if id == nil {
		return nil
	}
	return chown(path, id)
}

// remove deletes the folder with all it holds.
func (f *folder) remove() error {
	err := os.RemoveAll(f.path)
	if f.lock != nil {
		f.lock.Close()
	}
	return err
}

// baseFolder picks where folders are made. A server of another user must be able to
// walk there.
func baseFolder(foreign bool) (string, error) {
	usable := func(dir string) bool {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			return false
		}
		probe, err := os.MkdirTemp(dir, folderPrefix+"probe-")
		if err != nil {
			return false
		}
		os.Remove(probe)
		return !foreign || walkable(dir)
	}
	if dir := os.Getenv(EnvDir); dir != "" {
		if !usable(dir) {
			return "", fmt.Errorf("%s: %s can't be used by the servers", EnvDir, dir)
		}
		return dir, nil
	}
	candidates := []string{"/dev/shm", os.TempDir(), "/tmp", "/var/tmp"}
	for _, dir := range candidates {
		if freeBytes(dir) >= roomNeeded && usable(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no folder among %v can be used and has %d MiB free", candidates, roomNeeded>>20)
}

// walkable tells whether every user may walk to a folder.
func walkable(dir string) bool {
	abs, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for {
		info, err := os.Stat(abs)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		parent := filepath.Dir(abs)
		if parent == abs {
			return true
		}
		abs = parent
	}
}

// sweepOnce removes, once per process, the folders that processes killed earlier
// have left behind.
var sweepOnce = sync.OnceFunc(func() {
	for _, base := range []string{cmp.Or(os.Getenv(EnvDir), "/dev/shm"), os.TempDir()} {
		found, _ := filepath.Glob(filepath.Join(base, folderPrefix+"*"))
		for _, path := range found {
			sweep(path, time.Now())
		}
	}
})

// sweep removes a folder whose owner has ended, and tells whether it did.
func sweep(path string, now time.Time) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < sweepAge {
		return false
	}
	lock, err := lockFile(filepath.Join(path, folderLock), 0)
	switch {
	case err == nil:
		defer lock.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return false // in use, or another user's
	}
	return os.RemoveAll(path) == nil
}
