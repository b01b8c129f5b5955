//go:build linux || darwin || freebsd

package servers

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// Signals a server understands. The zero signal only asks whether a process lives.
const (
	sigTerminate = syscall.SIGTERM
	sigInterrupt = syscall.SIGINT
	sigQuit      = syscall.SIGQUIT
	sigKill      = syscall.SIGKILL
	sigPause     = syscall.SIGSTOP
	sigResume    = syscall.SIGCONT
)

// identity is the user a server runs as.
type identity struct{ uid, gid uint32 }

// serverIdentity picks the user for a server. Root may not run some servers and
// should run none: the first of the names that exists does. Anybody else runs
// servers as they are (nil).
func serverIdentity(names ...string) (*identity, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range names {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(found.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(found.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &identity{uint32(uid), uint32(gid)}, nil
	}
	return nil, fmt.Errorf("servers don't run as root, and there is no user %v", names)
}

// signalProcess sends a signal to one process.
func signalProcess(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

// signalGroup sends a signal to the processes of a group.
func signalGroup(pid int, sig syscall.Signal) error { return syscall.Kill(-pid, sig) }

// freeBytes tells how much the file system of a folder can still hold.
func freeBytes(dir string) uint64 {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return 0
	}
	return uint64(stat.Bavail) * uint64(stat.Bsize)
}

// lockFile locks a file for this process, without waiting, and makes it first if flag
// says os.O_CREATE. The lock ends with the process at the latest, whatever ends it.
func lockFile(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// chown gives a file or folder to a user.
func chown(path string, id *identity) error { return os.Chown(path, int(id.uid), int(id.gid)) }
