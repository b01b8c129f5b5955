package servers

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"
)

// Server is the life of one server process; every kind of server has it. Its methods
// may be called concurrently with each other and with clients that use the server.
type Server struct {
	process *process // nil when it is not ours
	fixed   error    // why it can't be stopped, nil when it can
	release []func() error
}

// Kill ends the server and its children with SIGKILL, as the kernel does when memory
// runs out: every connection breaks, nothing is tidied up. What the server had
// handed to the operating system survives. Errors: ErrExternal, ErrShared.
func (s *Server) Kill() error {
	if s.fixed != nil {
		return s.fixed
	}
	return s.process.kill()
}

// Restart starts the server again on the same data and port, after ending it in good
// order if it runs, and returns when it answers. Errors: ErrExternal, ErrShared.
func (s *Server) Restart() error {
	if s.fixed != nil {
		return s.fixed
	}
	if err := s.process.stop(); err != nil {
		return err
	}
	return s.process.start()
}

// Pause stops the server in its tracks (SIGSTOP): connections stay, nothing answers.
// Errors: ErrExternal, ErrShared.
func (s *Server) Pause() error {
	if s.fixed != nil {
		return s.fixed
	}
	return s.process.signal(sigPause)
}

// Resume lets a paused server go on. Errors: ErrExternal, ErrShared.
func (s *Server) Resume() error {
	if s.fixed != nil {
		return s.fixed
	}
	return s.process.signal(sigResume)
}

// PID is the process id of the server, 0 when it doesn't run or is not ours.
func (s *Server) PID() int {
	if s.process == nil {
		return 0
	}
	return s.process.pid()
}

// close ends the server for good and removes what it has on disk.
func (s *Server) close() error {
	var errs []error
	if s.process != nil {
		errs = append(errs, s.process.stop())
	}
	for _, release := range s.release {
		errs = append(errs, release())
	}
	return errors.Join(errs...)
}

// Unique makes a name no other test run uses: up to 48 lower-case letters, digits and
// underscores, some of them from the test's name. Tests on a shared Redis put it in
// front of their keys, or in their scope.
func Unique(t testing.TB) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '_'
	}, strings.TrimPrefix(t.Name(), "Test"))
	return "t_" + name[:min(len(name), 29)] + "_" + randomHex(8)
}

// randomHex makes a secret of n random bytes, in hex.
func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// home is where one server, or several that belong together, live: a folder and the
// user who owns it.
type home struct {
	*folder
	user *identity
}

// newHome makes a home for servers run by the first of the users that exists, if the
// test runs as root.
func newHome(users ...string) (*home, error) {
	sweepOnce()
	id, err := serverIdentity(users...)
	if err != nil {
		return nil, err
	}
	f, err := newFolder(id)
	if err != nil {
		return nil, err
	}
	return &home{f, id}, nil
}

// keepFor closes a private server at the end of its test.
func keepFor(t testing.TB, close func() error) {
	t.Cleanup(func() {
		if err := close(); err != nil {
			t.Errorf("servers: %v", err)
		}
	})
}

// external tells whether a variable names a running server.
func external(variable string) (string, bool) {
	value := os.Getenv(variable)
	return value, value != ""
}
