package release

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) Tour {
	t.Helper()
	tour, err := ParseTour(text)
	if err != nil {
		t.Fatal(err)
	}
	return tour
}

func TestTourRunsMarkedBlocksAlone(t *testing.T) {
	text, err := os.ReadFile("testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	tour := parse(t, string(text))
	var kinds []string
	for _, s := range tour {
		kinds = append(kinds, string(s.Kind))
	}
	if got := strings.Join(kinds, " "); got != "run file run output" {
		t.Fatalf("steps: %s", got)
	}
	if tour[1].Name != "sub/hello.txt" || tour[1].Text != "hello\n```\ntour\n" {
		t.Errorf("file step: %+v", tour[1])
	}
	var log bytes.Buffer
	if err := tour.Walk(t.Context(), t.TempDir(), os.Environ(), &log); err != nil {
		t.Errorf("%v\n%s", err, log.String())
	}
}

func TestTourFailsWhenACommandFailsOrPrintsOtherOutput(t *testing.T) {
	for text, want := range map[string]string{
		"<!-- tour:run -->\n```sh\necho a\nfalse\necho b\n```\n":                           "README line 1: exit status 1",
		"<!-- tour:run -->\n```sh\nfalse | cat\n```\n":                                     "README line 1: exit status 1",
		"<!-- tour:run -->\n```sh\necho \"$nosuch\"\n```\n":                                "README line 1: exit status",
		"\n<!-- tour:run -->\n```\necho a\n```\n<!-- tour:output -->\n```\nb\n```\n":       "README line 6 shows other output",
		"<!-- tour:run -->\n```\necho a; echo b\n```\n<!-- tour:output -->\n```\na\n```\n": "README line 5 shows other output",
		"<!-- tour:run -->\n```\necho a >&2\n```\n<!-- tour:output -->\n```\na\n```\n":     "README line 5 shows other output",
	} {
		err := parse(t, text).Walk(t.Context(), t.TempDir(), os.Environ(), &bytes.Buffer{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTourRefusesWhatItCannotRead(t *testing.T) {
	const run = "<!-- tour:run -->\n```\ntrue\n```\n"
	for text, want := range map[string]string{
		"":                                       "no block is marked",
		"```\na\n```\n":                          "no block is marked",
		"<!-- tour:fiel x -->\n```\n```\n":       "line 1: unknown marker tour:fiel",
		"<!-- tour:run-->\n```\n```\n":           "line 1: bad marker",
		"<!-- tour:run -->\ntext\n":              "line 1: no fenced block",
		"<!-- tour:run -->\n":                    "line 1: no fenced block",
		"<!-- tour:run -->\n```\ntrue\n":         "line 2: block does not end",
		"a\n```\ntrue\n":                         "line 2: block does not end",
		"<!-- tour:file -->\n```\n```\n":         "line 1: tour:file needs",
		"<!-- tour:file ../x -->\n```\n```\n":    "line 1: tour:file needs",
		"<!-- tour:file /x -->\n```\n```\n":      "line 1: tour:file needs",
		"<!-- tour:output -->\n```\n```\n" + run: "line 1: tour:output without",
		"<!-- tour:run now -->\n```\n```\n":      "line 1: tour:run takes no name",
	} {
		if _, err := ParseTour(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		shown, text string
		want        bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "a", true},
		{"a\n", "a\n\n", false},
		{"a.c\n", "abc\n", false},
		{"…\n", "", true},
		{"a\n…\n", "a\n", true},
		{"a\n…\nb\n", "a\nx\ny\nb\n", true},
		{"a … b\n", "a x\ny b\n", false},
		{"", "", true},
		{"", "a\n", false},
	} {
		if got := Matches(c.shown, c.text); got != c.want {
			t.Errorf("Matches(%q, %q) = %v", c.shown, c.text, got)
		}
	}
}
