package gen

import (
	"path/filepath"
	"testing"
)

// TestContestants: each generator does its work on a small tree, so that none rots.
func TestContestants(t *testing.T) {
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := Build(t.Context(), repository, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := MakeTree(t.TempDir(), repository, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tools.Contestants() {
		u, err := c.Run(t.Context(), tree, "")
		if err != nil {
			t.Error(err)
			continue
		}
		if u.Wall <= 0 || u.PeakMiB <= 0 {
			t.Errorf("%s: %+v", c.Name, u)
		}
		t.Logf("%s: %+v", c.Name, u)
		if err := c.Clean(tree); err != nil {
			t.Error(err)
		}
	}
	if parse, scan, err := Floor(tree); err != nil || parse <= 0 || scan <= 0 {
		t.Errorf("%v, %v, %v", parse, scan, err)
	}
}
