package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"

	"errors"
)

// The program sends a parcel twice: one charge, one label, one step of its state.
func TestParcels(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parcels.db")
	var out bytes.Buffer
	do := func(line string) error {
		return run(t.Context(), append([]string{"-db", file}, strings.Fields(line)...), &out)
	}
	for _, line := range []string{"add p-1 1200", "send p-1", "send p-1", "list", "collect p-1", "collect p-1", "list"} {
		if err := do(line); err != nil && (line != "collect p-1" || !idem.AlreadyApplied(err)) {
			t.Fatalf("%s: %v", line, err)
		}
	}
	want := `the carrier charges 420 cents for p-1
p-1: label L-p-1, 420 cents
p-1: label L-p-1, 420 cents
p-1 L L-p-1, next [Collect Return]
p-1 C L-p-1, next [Return]
`
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", &out, want)
	}
	if err := do("collect"); !errors.Is(err, errUsage) {
		t.Errorf("got %v", err)
	}
}
