package spec_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/jsonschema"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/spec"
)

var update = flag.Bool("update", false, "write the schema anew")

const schemaFile = "idem.schema.json"

// TestSchemaIsCurrent: the checked-in schema is the one that the registry makes.
func TestSchemaIsCurrent(t *testing.T) {
	want := spec.Schema()
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("run go test ./parser/spec -run Schema -update\n%s", diff.Diff(schemaFile, got, "registry", want))
	}
}

// TestSchemaKnowsEveryArgument: every directive and argument of the registry is in
// the schema with its description.
func TestSchemaKnowsEveryArgument(t *testing.T) {
	text := string(spec.Schema())
	for _, s := range directive.Specs() {
		if !strings.Contains(text, `"`+s.Name+`": {`) {
			t.Errorf("no %s", s.Name)
		}
		for _, a := range s.Args {
			quoted, err := json.Marshal(a.Name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text, string(quoted)+": {") {
				t.Errorf("no %s of %s", a.Name, s.Name)
			}
		}
	}
}

// scenarios are the idem.yaml files of golden scenarios by scenario and name.
func scenarios(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "golden", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios %s: %v", pattern, err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range a.Files {
			if filepath.Base(x.Name) == spec.FileName {
				out[filepath.Base(f)+"/"+x.Name] = x.Data
			}
		}
	}
	return out
}

// TestSchemaTakesTheGoldens: what idemgen takes the schema takes, and keys, shapes and
// values that are wrong in themselves it refuses.
func TestSchemaTakesTheGoldens(t *testing.T) {
	schema, err := jsonschema.Parse(spec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	check := func(src []byte) []string {
		var v any
		if err := yaml.Unmarshal(src, &v); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for name, src := range scenarios(t, "yaml_*.txtar") {
		if faults := check(src); len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
	}
	for _, name := range []string{"keys", "shape", "version", "version_unknown", "missing", "empty"} {
		for file, src := range scenarios(t, "err_yaml_"+name+".txtar") {
			if len(check(bytes.ReplaceAll(src, []byte("tests:}"), []byte("tests: }")))) == 0 {
				t.Errorf("the schema takes %s", file)
			}
		}
	}
}
