package release

import (
	"fmt"
	"regexp"
	"strings"
)

// Kind says what a step of the tour does.
type Kind string

// Kinds of steps, as the README marks them in a comment in front of a fenced
// block:
//
//	<!-- tour:file orders/service.go -->   the block is that file
//	<!-- tour:run -->                      the block is run by the shell
//	<!-- tour:output -->                   the block is what the last run prints
//
// In an output block "…" stands for any text within a line, and a line that is
// just "…" for any number of lines.
const (
	File   Kind = "file"
	Run    Kind = "run"
	Output Kind = "output"
)

// Step is one marked block.
type Step struct {
	Kind Kind
	Line int    // of the marker, from 1
	Name string // of a file, slash-separated and relative
	Text string // the block
}

// Tour is the sequence of marked blocks of a README.
type Tour []Step

var marker = regexp.MustCompile(`^<!-- tour:(\S+)(?:\s+(\S+))? -->$`)

// ParseTour takes the marked blocks out of a Markdown text, in order. Errors name
// the line: an unknown marker, a marker without a fenced block behind it, a
// block that does not end, an output without a run, a file name that leaves the
// folder, and a text without any run.
func ParseTour(markdown string) (Tour, error) {
	var tour Tour
	lines := strings.Split(strings.ReplaceAll(markdown, "\r\n", "\n"), "\n")
	ran := false
	for i := 0; i < len(lines); i++ {
		if fence := fenceOf(lines[i]); fence != "" { // an unmarked block: nothing in it is a marker
			end := closing(lines, i+1, fence)
			if end < 0 {
				return nil, fmt.Errorf("line %d: block does not end", i+1)
			}
			i = end
			continue
		}
		line := strings.TrimSpace(lines[i])
		if !strings.HasPrefix(line, "<!-- tour:") {
			continue
		}
		m := marker.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("line %d: bad marker %s", i+1, line)
		}
		step := Step{Kind: Kind(m[1]), Line: i + 1, Name: m[2]}
		if err := step.valid(ran); err != nil {
			return nil, err
		}
		ran = ran || step.Kind == Run
		start := i + 1
		for start < len(lines) && strings.TrimSpace(lines[start]) == "" {
			start++
		}
		fence := ""
		if start < len(lines) {
			fence = fenceOf(lines[start])
		}
		if fence == "" {
			return nil, fmt.Errorf("line %d: no fenced block behind the marker", i+1)
		}
		end := closing(lines, start+1, fence)
		if end < 0 {
			return nil, fmt.Errorf("line %d: block does not end", start+1)
		}
		if block := lines[start+1 : end]; len(block) > 0 {
			step.Text = strings.Join(block, "\n") + "\n"
		}
		tour = append(tour, step)
		i = end
	}
	if !ran {
		return nil, fmt.Errorf("no block is marked tour:run")
	}
	return tour, nil
}

func (s Step) valid(ran bool) error {
	switch s.Kind {
	case File:
		if s.Name == "" || strings.HasPrefix(s.Name, "/") || strings.Contains("/"+s.Name+"/", "/../") {
			return fmt.Errorf("line %d: tour:file needs a relative file name", s.Line)
		}
		return nil
	case Run, Output:
		if s.Name != "" {
			return fmt.Errorf("line %d: tour:%s takes no name", s.Line, s.Kind)
		}
		if s.Kind == Output && !ran {
			return fmt.Errorf("line %d: tour:output without a tour:run before it", s.Line)
		}
		return nil
	}
	return fmt.Errorf("line %d: unknown marker tour:%s", s.Line, s.Kind)
}

// fenceOf is the run of backquotes that opens a block, or "".
func fenceOf(line string) string {
	trimmed := strings.TrimLeft(line, "`")
	if n := len(line) - len(trimmed); n >= 3 {
		return line[:n]
	}
	return ""
}

// closing is the index of the line that closes a block opened by fence, or -1.
func closing(lines []string, from int, fence string) int {
	for i := from; i < len(lines); i++ {
		if strings.TrimRight(lines[i], " ") == fence {
			return i
		}
	}
	return -1
}

// Matches tells whether text is what an output block shows.
func Matches(shown, text string) bool {
	var pattern strings.Builder
	pattern.WriteString(`^`)
	for line := range strings.Lines(shown) {
		body := strings.TrimRight(line, " \n")
		if body == "…" {
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		parts := strings.Split(body, "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern.WriteString(strings.Join(parts, `[^\n]*`) + `[ \t]*\n`)
	}
	pattern.WriteString(`$`)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return regexp.MustCompile(pattern.String()).MatchString(text)
}
