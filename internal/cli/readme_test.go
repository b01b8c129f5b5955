package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeShowsTheDiagramOfTheOrders: the diagram in the README is what the command
// draws of the example.
func TestReadmeShowsTheDiagramOfTheOrders(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	if code := Run(t.Context(), Env{Dir: filepath.Join(root, "examples", "orders", "order"), Stdout: &out, Stderr: &said}, []string{"graph"}); code != exitOK {
		t.Fatalf("exit %d: %s", code, said.String())
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "```mermaid\n" + out.String() + "```\n"; !strings.Contains(strings.ReplaceAll(string(readme), "\r\n", "\n"), want) {
		t.Errorf("README.md does not have\n%s", want)
	}
}
