package golden

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/parser/directive"
)

// finding is one diagnostic as printed.
type finding struct {
	file      string
	line, col int
	what      string // code and message
}

var findingLine = regexp.MustCompile(`(?m)^([^\s:][^:\n]*):(\d+):(\d+): (IDEM\d+: .*)$`)

// lineText is a line that a message tells.
var lineText = regexp.MustCompile(`line \d+`)

func findings(diags []byte) []finding {
	var out []finding
	for _, m := range findingLine.FindAllSubmatch(diags, -1) {
		line, _ := strconv.Atoi(string(m[2]))
		col, _ := strconv.Atoi(string(m[3]))
		out = append(out, finding{filepath.ToSlash(string(m[1])), line, col, lineText.ReplaceAllString(string(m[4]), "line N")})
	}
	slices.SortFunc(out, func(a, b finding) int {
		return strings.Compare(fmt.Sprintf("%s %s %09d", a.what, a.file, a.line), fmt.Sprintf("%s %s %09d", b.what, b.file, b.line))
	})
	return out
}

// TestLaw_G4_YAMLFaultsHaveTheSamePlaces: a scenario that is refused is refused in
// idem.yaml with the same codes and messages, each at the same word.
func TestLaw_G4_YAMLFaultsHaveTheSamePlaces(t *testing.T) {
	repository, scenarios := load(t)
	compared := 0
	for i, s := range scenarios {
		if !s.Negative() || strings.HasPrefix(s.Name, "err_yaml_") || len(findings(s.Diag)) == 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			if why := differ[s.Name]; why != "" {
				t.Skip(why)
			}
			dir := scenarioDir(t, t.TempDir(), s)
			if err := s.Extract(dir, repository); err != nil {
				t.Fatal(err)
			}
			before := readTree(t, dir)
			if !movable(before) {
				t.Skip("its directives can't be read, or it has none")
			}
			next := i
			moveDirectives(t, dir, func(w *yamlWriter, spec directive.Spec, d described) {
				if w.first {
					next++
				}
				forms[next%len(forms)].write(w, spec, d)
			})
			_, _, stderr := run(s, dir, "gen", s.Packages)
			after := readTree(t, dir)
			want, got := findings(s.Diag), findings(stderr)
			if len(want) != len(got) {
				t.Fatalf("found\n%s\nwant\n%s\n%s", stderr, s.Diag, after["idem.yaml"].Data)
			}
			for i := range want {
				if want[i].what != got[i].what {
					t.Errorf("found %s\nwant %s", got[i].what, want[i].what)
				}
				a, b := word(before, want[i]), word(after, got[i])
				if a == "" || slices.ContainsFunc(directive.Specs(), func(s directive.Spec) bool { return s.Name == a && s.Repeatable }) {
					continue // the comment itself, or one of several: that is an element or a key
				}
				if a != b {
					t.Errorf("%s\nis at %q (%d:%d), want %q\n%s", got[i].what, b, got[i].line, got[i].col, a, after["idem.yaml"].Data)
				}
			}
			compared++
		})
	}
	t.Logf("%d scenarios compared", compared)
	if compared < 80 {
		t.Errorf("only %d scenarios could be compared", compared)
	}
}

// word is the word that a finding stands at.
func word(tree Tree, f finding) string {
	lines := bytes.Split(tree[f.file].Data, []byte("\n"))
	if f.line > len(lines) || f.col > len(lines[f.line-1]) {
		return ""
	}
	rest := string(lines[f.line-1][f.col-1:])
	if n := strings.IndexFunc(rest, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80)
	}); n >= 0 {
		return rest[:n]
	}
	return rest
}

// differ are scenarios whose findings differ in idem.yaml, with the reason.
var differ = map[string]string{
	"err_function_uncallable": "idem.yaml has no name for init and _",
}
