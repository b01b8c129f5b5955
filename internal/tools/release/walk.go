package release

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Walk runs the tour in dir, which should be empty: files are written, shell
// blocks run by bash with env, and what they print on standard output compared
// with the output blocks. Everything is echoed to log. The error names the line
// of the README.
func (t Tour) Walk(ctx context.Context, dir string, env []string, log io.Writer) error {
	last := ""
	for _, s := range t {
		switch s.Kind {
		case File:
			fmt.Fprintf(log, "--- line %d: write %s\n", s.Line, s.Name)
			name := filepath.Join(dir, filepath.FromSlash(s.Name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte(s.Text), 0o644); err != nil {
				return err
			}
		case Run:
			fmt.Fprintf(log, "--- line %d: run\n%s", s.Line, indent(s.Text))
			var stdout bytes.Buffer
			cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", s.Text)
			cmd.Dir, cmd.Env = dir, env
			shared := &lockedWriter{w: log} // both streams of the command write to it
			cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, shared), shared
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("README line %d: %w", s.Line, err)
			}
			last = stdout.String()
		case Output:
			if !Matches(s.Text, last) {
				return fmt.Errorf("README line %d shows other output than the command printed\nshown:\n%sprinted:\n%s", s.Line, indent(s.Text), indent(last))
			}
		}
	}
	return nil
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("\t" + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// Env is the environment of the tour: idemgen's modules come from the folder
// proxy, everything else from the module cache of this machine, then from its own
// proxies; the cache is a fresh one, so that nothing published here outlives the
// run. base is the caller's environment; goenv reads a go setting.
func Env(base []string, proxy, cache, home string, goenv func(string) string) []string {
	var env []string
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GOPROXY", "GOMODCACHE", "GOFLAGS", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOWORK", "GOENV", "PWD":
			continue
		}
		env = append(env, kv)
	}
	sources := []string{
		fileURL(proxy),
		fileURL(filepath.Join(goenv("GOMODCACHE"), "cache", "download")),
		goenv("GOPROXY"),
	}
	return append(env,
		"GOPROXY="+strings.Join(sources, ","),
		"GOMODCACHE="+cache,
		"GOCACHE="+goenv("GOCACHE"),
		"GOFLAGS=-mod=mod -modcacherw",
		"GONOSUMDB="+strings.TrimSuffix("github.com/idemgen/*,"+goenv("GONOSUMDB"), ","),
		"GOPRIVATE=", "GONOPROXY=",
		"GOSUMDB="+goenv("GOSUMDB"),
		"GOTOOLCHAIN=local", "GOWORK=off", "GOENV=off",
		"HOME="+home,
	)
}

func fileURL(dir string) string { return "file://" + filepath.ToSlash(dir) }

// lockedWriter makes a writer safe for concurrent use.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
