//go:build !(linux || darwin || freebsd)

package servers

import (
	"errors"
	"os"
	"syscall"
)

// Signals a server understands.
const (
	sigTerminate = syscall.SIGTERM
	sigInterrupt = syscall.SIGINT
	sigQuit      = syscall.SIGQUIT
	sigKill      = syscall.SIGKILL
	sigPause     = syscall.Signal(0)
	sigResume    = syscall.Signal(0)
)

var errNoSystem = errors.New("servers are started on Linux, macOS and FreeBSD only: name running ones by environment variables")

type identity struct{}

func serverIdentity(...string) (*identity, error)                    { return nil, errNoSystem }
func childAttributes(*identity, syscall.Signal) *syscall.SysProcAttr { return nil }
func signalProcess(int, syscall.Signal) error                        { return errNoSystem }
func signalGroup(int, syscall.Signal) error                          { return errNoSystem }
func childrenOf(int) []int                                           { return nil }
func running(int) bool                                               { return false }
func firstEphemeral() int                                            { return defaultEphemeral }
func freeBytes(string) uint64                                        { return 0 }
func lockFile(string, int) (*os.File, error)                         { return nil, errNoSystem }
func chown(string, *identity) error                                  { return errNoSystem }
