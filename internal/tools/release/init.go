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

// WalkInit goes the way of a newcomer in dir, which must be empty: a module, the tool,
// idemgen init, and then what that printed, word for word, by bash. It fails where a
// step does, where there is none, and where no step tests the sample.
func WalkInit(ctx context.Context, dir string, env []string, log io.Writer) error {
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
	for _, step := range []string{
		"go mod init example.com/newcomer",
		"go get -tool github.com/idemgen/idemgen/cmd/idemgen@latest",
		"go tool idemgen init ./payments",
	} {
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
