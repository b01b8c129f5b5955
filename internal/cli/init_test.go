package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPackageName(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/shop": "shop", "example.com/shop/v2": "shop", "example.com/go-pay": "pay", "example.com/a/Type": "sample",
		"example.com/2fa": "fa", "example.com/my-shop": "myshop", "shop": "shop", "v2": "v2", "example.com/支付": "sample",
	} {
		if got := packageName(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// TestLaw_G6_InitThatCantWrite leaves nothing behind: not the folder that it made, not
// a file of the sample.
func TestLaw_G6_InitThatCantWrite(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("as root nothing is read-only: a file stands in the way instead")
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/x\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(root, "closed")
	if err := os.Mkdir(closed, 0o755); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(closed, "pay")
	if os.Geteuid() == 0 {
		if err := os.WriteFile(target, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Chmod(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o755) })
	var out, said bytes.Buffer
	code := Run(t.Context(), Env{Dir: root, Stdout: &out, Stderr: &said}, []string{"init", "closed/pay"})
	if code != exitFailed || out.Len() > 0 || !strings.Contains(filepath.ToSlash(said.String()), "closed/pay") {
		t.Errorf("exit %d, %q, %q", code, out.String(), said.String())
	}
	entries, err := os.ReadDir(closed)
	if err != nil || os.Geteuid() != 0 && len(entries) != 0 || os.Geteuid() == 0 && len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestEveryCommandHasAScript: what people type is tried as they type it.
func TestEveryCommandHasAScript(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var tried []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(strings.TrimPrefix(line, "! "))
			if len(words) > 1 && words[0] == "idemgen" {
				tried = append(tried, words[1])
			}
		}
	}
	for _, c := range commands() {
		if !slices.Contains(tried, c.name) {
			t.Errorf("no script runs idemgen %s", c.name)
		}
	}
}

// TestColours: places and codes are painted where people look, and the text is the same.
func TestColours(t *testing.T) {
	text := "shop/a.go:3:20: IDEM104: unknown argument\n\tdid you mean \"ttl\"?\nshop/a.go:4:1: warning: IDEM341: no database layer\nIDEM606: no packages\n"
	got := paintDiagnostics(text, true)
	for _, want := range []string{bold + "shop/a.go:3:20: " + plain + red + "IDEM104" + plain + ": unknown", yellow + "IDEM341" + plain, red + "IDEM606" + plain + ": no packages"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
	strip := strings.NewReplacer(bold, "", red, "", green, "", yellow, "", cyan, "", plain, "")
	if strip.Replace(got) != text || paintDiagnostics(text, false) != text {
		t.Errorf("%q is another text", got)
	}
	d := "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n"
	if got := string(paintDiff([]byte(d), true)); strip.Replace(got) != d || !strings.Contains(got, green+"+new"+plain) || !strings.Contains(got, red+"-old"+plain) {
		t.Errorf("%q", got)
	}
	if colourful(new(bytes.Buffer)) {
		t.Error("a buffer is no terminal")
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Error("the null device is no terminal")
	}
}

// TestProgress: a long run says on a terminal what it does, and takes it away again.
func TestProgress(t *testing.T) {
	var screen bytes.Buffer
	p := &phases{screen: &screen}
	stop := p.watch()
	p.enter("scan")
	if screen.Len() > 0 {
		t.Error("a short run says something")
	}
	p.mu.Lock()
	p.shown = true
	p.mu.Unlock()
	p.enter("go list")
	stop()
	p.enter("emit")
	p.end()
	if got, want := screen.String(), "\r\x1b[Kidemgen: go list …\r\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var out bytes.Buffer
	p.report(&out)
	if !strings.HasPrefix(out.String(), "idemgen: scan ") || !strings.Contains(out.String(), " emit ") {
		t.Error(out.String())
	}
	var nobody *phases
	nobody.enter("anything")
}
