package release

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// StepMark begins a line of a command's output that is to be run as it stands.
const StepMark = "$ "

// Steps are the commands that an output shows: its lines that begin with StepMark,
// behind spaces.
func Steps(output string) []string {
	var steps []string
	for line := range strings.Lines(output) {
		if step, ok := strings.CutPrefix(strings.TrimSpace(line), StepMark); ok {
			steps = append(steps, step)
		}
	}
	return steps
}

// Ways are how a newcomer comes to what idemgen init prints, in an empty folder: with
// the tool in go.mod, and with the tool in a file of its own.
var Ways = [][]string{
	{"go mod init example.com/newcomer", "go get -tool " + command + "@latest", "go tool idemgen init ./payments"},
	{"go mod init example.com/newcomer", "go run " + command + "@latest init -modfile=tools.mod ./payments"},
}

const command = "github.com/idemgen/idemgen/cmd/idemgen"

// WalkInit goes one of the Ways in dir, which must be empty, and then does what idemgen
// init printed, word for word, by bash. It fails where a step does, where there is none,
// and where no step tests the sample.
func WalkInit(ctx context.Context, dir string, way, env []string, log io.Writer) error {
	run := func(text string) (string, error) {
		fmt.Fprintf(log, "--- run\n%s", indent(text))
		var stdout bytes.Buffer
		shared := &lockedWriter{w: log}
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", text)
		cmd.Dir, cmd.Env = dir, env
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, shared), shared
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", text, err)
		}
		return stdout.String(), nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return fmt.Errorf("%s must be an empty folder: %d entries, %v", dir, len(entries), err)
	}
	var said string
	for _, step := range way {
		if said, err = run(step); err != nil {
			return err
		}
	}
	steps := Steps(said)
	tested := false
	for _, step := range steps {
		out, err := run(step)
		if err != nil {
			return err
		}
		tested = tested || strings.HasPrefix(step, "go test ") && strings.Contains(out, "ok ")
	}
	if !tested {
		return fmt.Errorf("idemgen init prints no step that tests the sample: %q", steps)
	}
	return nil
}
