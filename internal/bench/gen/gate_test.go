package gen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/parser"
)

// TestGate_Generator: peak memory of a run over 200 packages, the size of what one
// package of twenty methods gets, and how often the go command is started, are held to
// figures.
func TestGate_Generator(t *testing.T) {
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := Build(t.Context(), repository, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := MakeTree(t.TempDir(), repository, 200, 200)
	if err != nil {
		t.Fatal(err)
	}
	u, err := tools.Contestants()[0].Run(t.Context(), tree, "")
	if err != nil {
		t.Fatal(err)
	}
	const mostMB = 160 // RESULTS.md has what it takes: this catches a step up
	if u.PeakMB() > mostMB {
		t.Errorf("peak memory %.0f MB, at most %d", u.PeakMB(), mostMB)
	}
	info, err := os.Stat(filepath.Join(tree.Dir, "p0000", "idem_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	const mostBytes = 40_000
	if info.Size() > mostBytes {
		t.Errorf("%d methods get %d bytes, at most %d", Methods, info.Size(), mostBytes)
	}
	for annotated, most := range map[int]int{0: 0, 1: 1} {
		small, err := MakeTree(t.TempDir(), repository, 3, annotated)
		if err != nil {
			t.Fatal(err)
		}
		res, diags := parser.Parse(t.Context(), parser.Config{Dir: small.Dir, Patterns: []string{"./..."}, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")})
		if len(diags) > 0 || res.Execs > most {
			t.Errorf("%d annotated: %d go commands, at most %d; %v", annotated, res.Execs, most, diags)
		}
	}
	t.Logf("%.0f MB, %d bytes", u.PeakMB(), info.Size())
}
