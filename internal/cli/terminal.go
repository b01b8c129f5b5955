package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
)

// isTerminal tells whether people look at what is written: a character device that is
// not the null device.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// colourful tells whether to write in colours: on a terminal, unless NO_COLOR is set
// to anything (no-color.org).
func colourful(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && isTerminal(w) }

// Escape sequences of terminals.
const (
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	plain  = "\x1b[0m"
)

// headLine is the first line of a diagnostic: place, perhaps "warning:", code, message.
var headLine = regexp.MustCompile(`(?m)^(\S[^\n]*?: )?(warning: )?(IDEM[0-9]{3}): `)

// paintDiagnostics puts the places in bold and the codes in red, those of warnings in
// yellow.
func paintDiagnostics(text string, on bool) string {
	if !on {
		return text
	}
	return headLine.ReplaceAllStringFunc(text, func(line string) string {
		m := headLine.FindStringSubmatch(line)
		colour := red
		if m[2] != "" {
			colour = yellow
		}
		if m[1] != "" {
			m[1] = bold + m[1] + plain
		}
		return m[1] + m[2] + colour + m[3] + plain + ": "
	})
}

// paintDiff colours a unified diff as git does.
func paintDiff(d []byte, on bool) []byte {
	if !on {
		return d
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(d)) {
		text, end := strings.TrimSuffix(line, "\n"), line[len(strings.TrimSuffix(line, "\n")):]
		colour := ""
		switch {
		case strings.HasPrefix(text, "---"), strings.HasPrefix(text, "+++"):
			colour = bold
		case strings.HasPrefix(text, "@@"):
			colour = cyan
		case strings.HasPrefix(text, "+"):
			colour = green
		case strings.HasPrefix(text, "-"):
			colour = red
		}
		if colour != "" {
			text = colour + text + plain
		}
		out.WriteString(text + end)
	}
	return out.Bytes()
}
