package spec_test

import (
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/jsonschema"
	"github.com/idemgen/idemgen/parser/spec"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestGuideIsRight: every file in the guide is one that idemgen and the schema take.
func TestGuideIsRight(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "idem-yaml.md"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.Parse(spec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	blocks := yamlBlock.FindAllSubmatch(text, -1)
	if len(blocks) < 5 {
		t.Fatalf("%d files in the guide", len(blocks))
	}
	for _, b := range blocks {
		if _, diags := spec.Parse(token.NewFileSet(), spec.FileName, b[1]); len(diags) > 0 {
			t.Errorf("%v in\n%s", diags, b[1])
		}
		var v any
		if err := yaml.Unmarshal(b[1], &v); err != nil {
			t.Fatal(err)
		}
		if faults := schema.Validate(v); len(faults) > 0 {
			t.Errorf("the schema has %v against\n%s", faults, b[1])
		}
	}
}
