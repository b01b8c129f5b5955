package cli

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// TestReleasedRenderer: idemgen runs the renderer of its own release and no other.
func TestReleasedRenderer(t *testing.T) {
	for _, v := range []string{"v0.1.0", "v1.20.3-rc.1", "v0.0.0-20260101000000-0123456789ab"} {
		r, err := releasedRenderer(v)
		if want := []string{"go", "run", "github.com/idemgen/idemgen/cmd/idemgen-graph@" + v}; err != nil || !slices.Equal(r, want) {
			t.Errorf("%s: %q, %v", v, r, err)
		}
	}
	for _, v := range []string{"(devel)", "", "v0.1.0+dirty", "v0.0.0-20260101000000-0123456789ab+dirty", "v1", "latest", "v0.1.0 -x"} {
		if r, err := releasedRenderer(v); err == nil || !strings.Contains(err.Error(), "go install ./cmd/idemgen-graph") {
			t.Errorf("%q: %q, %v", v, r, err)
		}
	}
}

func TestModuleVersion(t *testing.T) {
	dep := func(path, version string) *debug.Module { return &debug.Module{Path: path, Version: version} }
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: *dep(modulePath, "v0.2.0")}, "v0.2.0"},
		{debug.BuildInfo{Main: *dep(modulePath, "")}, "(devel)"},
		{debug.BuildInfo{}, "(devel)"},
		{debug.BuildInfo{Main: *dep("example.com/shop", "v9.0.0"), Deps: []*debug.Module{dep("example.com/a", "v1.0.0"), dep(modulePath, "v0.3.0")}}, "v0.3.0"},
	} {
		if got := moduleVersion(&c.info); got != c.want {
			t.Errorf("%+v: %s, want %s", c.info, got, c.want)
		}
	}
}
