package graph

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

// grammar is how a language writes a state and an event, and how it reads a label
// back. Each line of a diagram is one of these or one of the fixed lines.
type grammar struct {
	draw         func(Diagram) string
	state, event *regexp.Regexp
	fixed        *regexp.Regexp
	read         func(label string) string
}

var number = regexp.MustCompile(`#(\d+);`)
var codePoint = regexp.MustCompile(`<U\+([0-9A-F]+)>`)

func code(re *regexp.Regexp, base int) func(string) string {
	return func(label string) string {
		return re.ReplaceAllStringFunc(label, func(s string) string {
			n, err := strconv.ParseInt(re.FindStringSubmatch(s)[1], base, 32)
			if err != nil {
				return "?"
			}
			return string(rune(n))
		})
	}
}

var grammars = map[string]grammar{
	"mermaid": {
		draw:  Mermaid,
		state: regexp.MustCompile(`^  state "((?:[^"#;:%<>\\*~\x60&{}]|#\d+;)+)" as (s\d+)$`),
		event: regexp.MustCompile(`^  (s\d+) --> (s\d+): ((?:[^"#;:%<>\\*~\x60&{}]|#\d+;)+)$`),
		fixed: regexp.MustCompile(`^(%% .*|stateDiagram-v2|  accTitle: .*|  \[\*\] --> s\d+|  s\d+ --> \[\*\]|)$`),
		read:  code(number, 10),
	},
	"dot": {
		draw:  DOT,
		state: regexp.MustCompile(`^\t(s\d+) \[label="((?:[^"\\&]|\\"|\\\\|&amp;)+)" class="[a-z ]+"( peripheries=2)?\]$`),
		event: regexp.MustCompile(`^\t(s\d+) -> (s\d+) \[label="( (?:[^"\\&]|\\"|\\\\|\\n|&amp;)+ )" class="event"\]$`),
		fixed: regexp.MustCompile(`^(// .*|digraph machine \{|\t(graph|node|edge|start) \[.*\]|\tstart -> s\d+ \[class="event"\]|\}|)$`),
		read:  strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", "&amp;", "&").Replace,
	},
	"plantuml": {
		draw:  PlantUML,
		state: regexp.MustCompile(`^state "((?:[\pL\pN .,()]|[^\x00-\x7f]|<U\+[0-9A-F]+>)+)" as (s\d+)$`),
		event: regexp.MustCompile(`^(s\d+) --> (s\d+) : ((?:[\pL\pN .,()]|[^\x00-\x7f]|<U\+[0-9A-F]+>)+)$`),
		fixed: regexp.MustCompile(`^(' .*|@startuml|hide empty description|title .*|\[\*\] --> s\d+|s\d+ --> \[\*\]|@enduml|)$`),
		read:  code(codePoint, 16),
	},
}

// comeBack fails unless every label of a ring of states and events is read back
// from every language as it was, and no line is anything else.
func comeBack(t *testing.T, labels ...string) {
	t.Helper()
	m := machine(labels...)
	var want []string
	for i, l := range labels {
		on(m, model.Event{Name: l}, i, (i+1)%len(labels))
		want = append(want, Visible(l))
	}
	d := Of(final(m, len(labels)-1))
	for name, g := range grammars {
		var states, events []string
		for line := range strings.SplitSeq(g.draw(d), "\n") {
			if s := g.state.FindStringSubmatch(line); s != nil {
				label := s[1]
				if name == "dot" {
					label = s[2]
				}
				states = append(states, g.read(label))
			} else if e := g.event.FindStringSubmatch(line); e != nil {
				label := g.read(e[3])
				if name == "dot" { // wrapped at blanks, with a blank on both sides of each line
					label = strings.ReplaceAll(label[1:len(label)-1], " \n ", " ")
				}
				events = append(events, label)
			} else if !g.fixed.MatchString(line) {
				t.Errorf("%s: line %q is out of the grammar", name, line)
			}
		}
		if !slices.Equal(states, want) || !slices.Equal(events, want) {
			t.Errorf("%s: labels %q, states %q, events %q", name, want, states, events)
		}
	}
}

func TestLaw_S10_LabelsComeBack(t *testing.T) { comeBack(t, hostile...) }

func FuzzLaw_S10_LabelsComeBack(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { comeBack(t, s, "other") })
}

// TestStyle_RefusesWhatIsNoSVG: what a program of the user's printed is not believed.
func TestStyle_RefusesWhatIsNoSVG(t *testing.T) {
	d := Of(numbers())
	for _, svg := range []string{"", "digraph {}", "<html></html>", "<svg width='1'>", "<svg></svg", "<a><svg width='1'></svg></a>"} {
		if out, err := Style(d, []byte(svg)); err == nil {
			t.Errorf("%q gave %s", svg, out)
		}
	}
	svg := "<?xml version=\"1.0\"?>\r\n<!-- by x -->\n<svg width=\"1pt\">\n<g class=\"node\">\n<title>s0</title>\n</g>\n</svg>\n"
	out, err := Style(d, []byte(svg))
	if err != nil || !strings.HasPrefix(string(out), SVGMark+" -->\n<svg class=\"idemgen\" role=\"img\" width=\"1pt\">\n<title>Status: shop.orders.status</title>\n") || strings.Contains(string(out), "s0") {
		t.Errorf("%v\n%s", err, out)
	}
}
