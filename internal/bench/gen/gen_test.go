package gen

import (
	"path/filepath"
	"runtime"
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
		if u.Wall <= 0 || u.PeakMB() <= 0 {
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

// TestMemoryIsTheCommandsOwn: what a small command is said to have had does not include
// what this process has.
func TestMemoryIsTheCommandsOwn(t *testing.T) {
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := Build(t.Context(), repository, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ballast := make([]byte, 300<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	small := Contestant{Name: "true", Output: "none", Command: func(Tree) []string { return []string{"true"} }, measure: tools.Measure}
	u, err := small.Run(t.Context(), Tree{Dir: t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	if u.PeakMB() > 30 {
		t.Errorf("true had %.0f MB", u.PeakMB())
	}
	t.Logf("true had %.1f MB, beside %d MB here", u.PeakMB(), len(ballast)>>20)
	runtime.KeepAlive(ballast)
}
