package cli

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/reference"
	"github.com/idemgen/idemgen/parser/diag"
)

var completionCommand = &command{
	name: "completion", args: "bash|zsh|fish", topic: topicNeeded, run: (*app).completion,
	summary: "print a script that completes idemgen's words in a shell",
	about: `Completion prints a script for the shell, which completes commands, flags and their
values. It completes the command idemgen, not go tool idemgen.`,
	examples: `  source <(idemgen completion bash)       # for this session; zsh alike
  idemgen completion fish | source
  idemgen completion zsh > "${fpath[1]}/_idemgen"
`,
}

// completionScripts are the scripts; each asks idemgen itself, so that they never
// have to change.
var completionScripts = map[string]string{
	"bash": `_idemgen() {
	local IFS=$'\n'
	COMPREPLY=($(compgen -W "$(idemgen __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]#=}"))
}
complete -o default -o bashdefault -F _idemgen idemgen
`,
	"zsh": `#compdef idemgen
_idemgen() {
	local -a found
	found=("${(@f)$(idemgen __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	[[ "${words[CURRENT]}" == -*=* ]] && compset -P '*='
	if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _idemgen idemgen
if [[ "${funcstack[1]}" == _idemgen ]]; then _idemgen; fi # loaded by its first call
`,
	"fish": `function __idemgen_complete
	set -l token (commandline -ct)
	set -l found (idemgen __complete (commandline -opc)[2..-1] $token 2>/dev/null)
	if string match -q -- '-*=*' $token
		set found (string split -m1 = -- $token)[1]=$found
	end
	printf '%s\n' $found
end
complete -c idemgen -a '(__idemgen_complete)'
`,
}

// completion prints a script.
func (a *app) completion(_ context.Context, opts *options) int {
	script, ok := completionScripts[opts.topic]
	if !ok {
		return a.misused(fmt.Errorf("no completion for %q: bash, zsh or fish", opts.topic), "idemgen help completion")
	}
	fmt.Fprint(a.stdout, script)
	return exitOK
}

// completeWord is the hidden command that the scripts call.
const completeWord = "__complete"

// complete prints what the last of the words may become, one a line.
func (a *app) complete(words []string) int {
	for _, w := range completions(words) {
		fmt.Fprintln(a.stdout, w)
	}
	return exitOK
}

// completions are the words that the last one may become. Shells may part -format=json
// into three words.
func completions(words []string) []string {
	words = joinEquals(words)
	if len(words) == 0 {
		words = []string{""}
	}
	word := words[len(words)-1]
	var cmd *command
	var before []string // words that are no flags
	for i, w := range words[:len(words)-1] {
		if !strings.HasPrefix(w, "-") && (i == 0 || !takesValue(words[i-1])) {
			if cmd == nil {
				cmd = commandNamed(w)
			}
			before = append(before, w)
		}
	}
	var found []string
	switch name, _, has := strings.Cut(strings.TrimLeft(word, "-"), "="); {
	case strings.HasPrefix(word, "-") && has && name == "format":
		for _, f := range formatsOf(cmd) {
			found = append(found, string(f))
		}
		return found
	case strings.HasPrefix(word, "-"):
		found = flagsOf(cmd)
	case cmd == nil && len(before) == 0:
		for _, c := range commands() {
			found = append(found, c.name)
		}
	case cmd != nil && len(before) == 1:
		found = topicsOf(cmd)
	}
	return slices.DeleteFunc(found, func(s string) bool { return !strings.HasPrefix(s, word) })
}

// joinEquals joins -format, = and json.
func joinEquals(words []string) []string {
	var out []string
	for i, w := range words {
		n := len(out)
		switch {
		case w == "=" && n > 0:
			out[n-1] += "="
		case i > 0 && words[i-1] == "=" && n > 0:
			out[n-1] += w
		default:
			out = append(out, w)
		}
	}
	return out
}

// takesValue tells a flag whose value may be the next word.
func takesValue(word string) bool {
	if !strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
		return false
	}
	f := newFlags(&options{}).Lookup(strings.TrimLeft(word, "-"))
	if f == nil {
		return false
	}
	b, is := f.Value.(interface{ IsBoolFlag() bool })
	return !is || !b.IsBoolFlag()
}

// flagsOf are the flags of a command, with one dash.
func flagsOf(c *command) []string {
	var out []string
	newFlags(&options{}).VisitAll(func(f *flag.Flag) {
		if slices.Contains(takenFlags(c), f.Name) {
			out = append(out, "-"+f.Name)
		}
	})
	return out
}

func formatsOf(c *command) []format {
	if c == nil || c.formats == nil {
		return []format{formatText, formatJSON, formatGitHub}
	}
	return c.formats
}

// topicsOf are the words that a command's topic may be, as far as they are known
// without loading anything.
func topicsOf(c *command) []string {
	var out []string
	switch c.name {
	case "help":
		for _, c := range commands() {
			out = append(out, c.name)
		}
	case "docs":
		for _, p := range reference.Pages() {
			out = append(out, p.Name)
		}
		out = append(append(out, schemaPage), directiveNames()...)
	case "explain":
		for _, i := range diag.Codes() {
			out = append(out, string(i.Code))
		}
	case "completion":
		out = []string{"bash", "zsh", "fish"}
	}
	return out
}
