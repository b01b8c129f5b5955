package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
)

// renderer is a command that reads DOT and writes SVG: its words.
type renderer []string

// rendererName is our own, rendererPackage where it comes from: a module of its own,
// because what lays out graphs is heavy, and whoever has idemgen as a tool has all
// that the module of idemgen requires in their go.mod.
const (
	rendererName    = "idemgen-graph"
	rendererPackage = modulePath + "/cmd/" + rendererName
)

// findRenderer is the renderer that was given; else the one on the PATH; else the
// one of our own version, run from the module cache or the proxy.
func findRenderer(given string) (renderer, error) {
	if words := strings.Fields(given); len(words) > 0 {
		return words, nil
	}
	if path, err := exec.LookPath(rendererName); err == nil {
		return renderer{path}, nil
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return releasedRenderer(moduleVersion(info))
}

// released are versions that a proxy can have: not (devel), and without +dirty.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// releasedRenderer is the renderer of a version of idemgen; go run pkg@version
// touches no go.mod.
func releasedRenderer(version string) (renderer, error) {
	if !released.MatchString(version) {
		return nil, fmt.Errorf("svg needs %s, and there is none of the version %s of this idemgen: put it on the PATH (in the folder of idemgen: go install ./cmd/%[1]s), or name another renderer with -renderer", rendererName, version)
	}
	return renderer{"go", "run", rendererPackage + "@" + version}, nil
}

// String is the command line.
func (r renderer) String() string { return strings.Join(r, " ") }

// run lays out a graph. What the command says on standard error is in the error.
func (r renderer) run(ctx context.Context, dot string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, r[0], r[1:]...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(dot), &out, &said
	if r[0] == "go" {
		// -mod and -modfile of the user's are for the user's module.
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, errors.New("interrupted; nothing was written")
		}
		if text := strings.TrimSpace(said.String()); text != "" {
			return nil, fmt.Errorf("%s: %w\n%s", r, err, text)
		}
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return out.Bytes(), nil
}
