package servers

import (
	"os"
	"os/exec"
	"testing"
)

// EnvBrowser names a program that speaks Chromium's flags, in place of one that is
// looked for.
const EnvBrowser = "IDEMGEN_BROWSER"

// Browser finds a Chromium for a test that looks at a page without a window. Where
// there is none the test does not run, as one that can't have its server.
func Browser(t testing.TB) string {
	t.Helper()
	if name := os.Getenv(EnvBrowser); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatalf("%s: %v", EnvBrowser, err)
		}
		return path
	}
	path, err := find("chromium", "chromium", "chromium-browser", "google-chrome")
	if err != nil {
		refuse(t, err)
	}
	return path
}
