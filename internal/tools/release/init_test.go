package release

import (
	"slices"
	"testing"
)

func TestSteps(t *testing.T) {
	got := Steps("wrote a.go\n\n1. See it:\n\n   $ go test ./pay\n\n2. costs $ 5\n   $ go generate ./...\n")
	if want := []string{"go test ./pay", "go generate ./..."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Steps("nothing to run\n"); got != nil {
		t.Errorf("%q", got)
	}
}
