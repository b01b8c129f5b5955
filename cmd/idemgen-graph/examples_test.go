package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

var update = flag.Bool("update", false, "draw the examples' diagrams anew")

// TestExamplesAreDrawnAsTheyAre: the SVG files that the examples' READMEs show are what
// idemgen graph makes of the source, laid out by this program.
func TestExamplesAreDrawnAsTheyAre(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	idemgen, renderer := filepath.Join(bin, "idemgen"), filepath.Join(bin, "idemgen-graph")
	if runtime.GOOS == "windows" {
		idemgen, renderer = idemgen+".exe", renderer+".exe"
	}
	for out, dir := range map[string]string{idemgen: root, renderer: "."} {
		build := exec.CommandContext(t.Context(), "go", "build", "-o", out, map[string]string{idemgen: "./cmd/idemgen", renderer: "."}[out])
		build.Dir = dir
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	for _, pkg := range []string{"orders/order", "payment/order", "tickets/ticket"} {
		dir := filepath.Join(root, "examples", filepath.FromSlash(pkg))
		draw := exec.CommandContext(t.Context(), idemgen, "graph", "-format=svg", "-renderer="+renderer)
		draw.Dir = dir
		var said bytes.Buffer
		draw.Stderr = &said
		want, err := draw.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", pkg, err, said.Bytes())
		}
		file := filepath.Join(dir, "status.svg")
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
			t.Errorf("%s/status.svg is not current: go test -run %s -update", pkg, t.Name())
		}
	}
}
