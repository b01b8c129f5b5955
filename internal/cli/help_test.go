package cli

import (
	"bytes"
	"context"
	"flag"
	"slices"
	"strings"
	"testing"
)

// helped is what help prints of a command line, and the exit code.
func helped(args ...string) (string, int) {
	var out, errs bytes.Buffer
	a := &app{cwd: ".", stdout: &out, stderr: &errs}
	code := a.main(context.Background(), args)
	return out.String() + errs.String(), code
}

// TestHelpOfEveryCommand: each has examples that its own flags and words fit, and names
// every flag that it takes.
func TestHelpOfEveryCommand(t *testing.T) {
	for _, c := range commands() {
		t.Run(c.name, func(t *testing.T) {
			text, code := helped("help", c.name)
			if code != exitOK || !strings.HasPrefix(text, "Usage: idemgen "+c.name) || !strings.HasSuffix(text, exitHelp) {
				t.Errorf("exit %d:\n%s", code, text)
			}
			for _, line := range strings.Split(text, "\n") {
				if len(line) > 90 {
					t.Errorf("a line of %d columns: %s", len(line), line)
				}
			}
			for _, args := range [][]string{{c.name, "-h"}, {c.name, "--help"}, {"-help", c.name}, {"-C", ".", c.name, "-help", "./..."}} {
				if got, code := helped(args...); code != exitOK || got != text {
					t.Errorf("%q: exit %d:\n%s", args, code, got)
				}
			}
			whole := c.packages || c.loads
			newFlags(&options{}).VisitAll(func(f *flag.Flag) {
				told := strings.Contains(text, "\n  -"+f.Name+" ") || strings.Contains(text, "; -"+f.Name+" ")
				if takes := slices.Contains(takenFlags(c), f.Name) && (whole || slices.Contains(c.flags, f.Name)); told != takes {
					t.Errorf("-%s: taken %v, told %v", f.Name, takes, told)
				}
			})
			examples := strings.Split(strings.TrimSpace(c.examples), "\n")
			for _, line := range examples {
				line, _, _ = strings.Cut(line, "#")
				line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "source <("), ")")
				line, _, _ = strings.Cut(line, " > ")
				line, _, _ = strings.Cut(line, " | ")
				words := strings.Fields(line)
				if len(words) == 0 || words[0] != "idemgen" {
					t.Errorf("no example: %q", line)
					continue
				}
				if o, err := parseArgs(words[1:]); err != nil || o.command.name != c.name {
					t.Errorf("%q: %+v, %v", line, o, err)
				}
			}
		})
	}
}

// TestFlagsOfOtherCommandsAreRefused: what a command does not take it does not pass over.
func TestFlagsOfOtherCommandsAreRefused(t *testing.T) {
	for _, line := range []string{"version -format=json", "docs once -tags=a", "check -dialect=mysql", "gen -o=x", "list -machine=S", "init -goose", "help -modfile=x"} {
		if text, code := helped(strings.Fields(line)...); code != exitFailed || !strings.Contains(text, "is none of idemgen ") {
			t.Errorf("%s: exit %d: %s", line, code, text)
		}
	}
}
