package cli

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

var versionCommand = &command{
	name: "version", run: (*app).version,
	summary: "print the version",
	about: `Version prints the version of idemgen, the Go it was built with and the platform.
-v adds the revision of the source that it was built from and the modules that
are part of it, where the build recorded them.`,
	examples: `  idemgen version
  idemgen version -v
`,
}

// modulePath is the module that the command is part of.
const modulePath = "github.com/idemgen/idemgen"

func (a *app) version(_ context.Context, opts *options) int {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	fmt.Fprintf(a.stdout, "idemgen %s %s %s/%s\n", moduleVersion(info), cmp.Or(info.GoVersion, runtime.Version()), runtime.GOOS, runtime.GOARCH)
	if !opts.verbose {
		return exitOK
	}
	if revision, modified := setting(info, "vcs.revision"), setting(info, "vcs.modified"); revision != "" {
		if modified == "true" {
			revision += " with changes"
		}
		fmt.Fprintf(a.stdout, "  revision %s of %s\n", revision, setting(info, "vcs.time"))
	}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		fmt.Fprintf(a.stdout, "  %s %s\n", d.Path, d.Version)
	}
	return exitOK
}

// moduleVersion is the version that the idemgen module was built at, whether it
// is the main module or, in a test or a wrapper, a dependency; "(devel)" where it
// was built from a folder and not from a release.
func moduleVersion(info *debug.BuildInfo) string {
	if info.Main.Path == modulePath && info.Main.Version != "" {
		return info.Main.Version
	}
	for _, d := range info.Deps {
		if d.Path == modulePath {
			return d.Version
		}
	}
	return "(devel)"
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
