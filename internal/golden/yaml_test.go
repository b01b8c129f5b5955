package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/jsonschema"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/spec"
)

// unwritable are the positive scenarios that idem.yaml can't say, with the reason.
var unwritable = map[string]string{
	"source_test_package":   "annotated test code: tests carry comments",
	"source_external_test":  "annotated test code: tests carry comments",
	"machine_tests_in_test": "annotated test code: tests carry comments",
}

// forms are the ways to write a directive in idem.yaml.
var forms = []struct {
	name  string
	write func(*yamlWriter, directive.Spec, described)
}{
	{"words", (*yamlWriter).words},
	{"arguments", (*yamlWriter).arguments},
	{"structure", (*yamlWriter).structure},
}

// TestLaw_S6_YAMLSaysTheSame: every positive scenario, its directives moved from
// comments to idem.yaml, gives the same bytes. Each directive takes the next of the
// forms; with -forms every scenario is tried in each of them.
func TestLaw_S6_YAMLSaysTheSame(t *testing.T) {
	repository, scenarios := load(t)
	root := t.TempDir()
	for _, name := range []string{"mixed", forms[0].name, forms[1].name, forms[2].name} {
		if err := writeModule(filepath.Join(root, name), repository); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range scenarios {
		if s.Negative() || strings.HasPrefix(s.Name, "yaml_") {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			if why := unwritable[s.Name]; why != "" {
				t.Skip(why)
			}
			t.Parallel()
			if !*allForms {
				next := i
				sameInYAML(t, s, filepath.Join(root, "mixed"), repository, func(w *yamlWriter, spec directive.Spec, d described) {
					if w.first {
						next++
					}
					forms[next%len(forms)].write(w, spec, d)
				})
				return
			}
			for _, form := range forms {
				sameInYAML(t, s, filepath.Join(root, form.name), repository, form.write)
			}
		})
	}
}

var allForms = flag.Bool("forms", false, "move directives to idem.yaml in each of its forms")

// sameInYAML moves the directives of a scenario and compares what comes out.
func sameInYAML(t *testing.T, s *Scenario, root, repository string, write func(*yamlWriter, directive.Spec, described)) {
	t.Helper()
	dir := scenarioDir(t, root, s)
	if err := s.Extract(dir, repository); err != nil {
		t.Fatal(err)
	}
	if moveDirectives(t, dir, write) == 0 {
		t.Skip("nothing is annotated")
	}
	code, _, stderr := run(s, dir, "gen", s.Packages)
	written := readFile(t, filepath.Join(dir, "idem.yaml"))
	if code != 0 {
		t.Fatalf("gen exited %d:\n%s%s", code, stderr, written)
	}
	if faults := schemaFaults(t, written); len(faults) > 0 {
		t.Errorf("the schema refuses it: %v\n%s", faults, written)
	}
	if got, want := codes(stderr), codes(s.Diag); !slices.Equal(got, want) {
		t.Errorf("warnings %v, want %v\n%s", got, want, stderr)
	}
	outputs := readTree(t, dir).Outputs()
	for _, name := range sortedKeys(s.Want) {
		if !bytes.Equal(s.Want[name], outputs[name]) {
			t.Errorf("output differs\n%s\n%s", diff.Diff("comments/"+name, s.Want[name], "yaml/"+name, outputs[name]), written)
		}
	}
	if code, stdout, stderr := run(s, dir, "check", s.Packages); code != 0 {
		t.Errorf("check behind gen exited %d\n%s%s", code, stdout, stderr)
	}
}

// schemaFaults is what the schema for editors has against a file.
func schemaFaults(t *testing.T, src []byte) []string {
	t.Helper()
	schema, err := jsonschema.Parse(spec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := yaml.Unmarshal(src, &v); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

var diagCode = regexp.MustCompile(`IDEM\d+: `)

// codes are the codes of a run's diagnostics, sorted.
func codes(diags []byte) []string {
	found := diagCode.FindAllString(string(diags), -1)
	slices.Sort(found)
	return found
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestUnwritableExist: no exception outlives its scenario.
func TestUnwritableExist(t *testing.T) {
	_, scenarios := load(t)
	for name := range unwritable {
		if !slices.ContainsFunc(scenarios, func(s *Scenario) bool { return s.Name == name }) {
			t.Errorf("no scenario %s", name)
		}
	}
}
