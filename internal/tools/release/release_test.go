package release

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository makes a small repository of the same form as this one.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"MODULES":               "# all\n.\nrt/store   # nested\nexamples\ninternal/tools\n",
		"LICENSE":               "the licence\n",
		".gitignore":            "/bin/\n",
		"go.mod":                "module example.com/thing\n\ngo 1.26\n",
		"thing.go":              "package thing\n\nfunc Word() string { return \"published\" }\n",
		"bin/built":             "ignored",
		"rt/store/go.mod":       "module example.com/thing/rt/store\n\ngo 1.26\n\nrequire example.com/thing v0.1.0\n\nreplace example.com/thing => ../..\n",
		"rt/store/store.go":     "package store\n\nimport \"example.com/thing\"\n\nfunc Word() string { return \"nested \" + thing.Word() }\n",
		"examples/go.mod":       "module example.com/thing/examples\n\ngo 1.26\n",
		"examples/main.go":      "package main\n\nfunc main() {}\n",
		"internal/tools/go.mod": "module example.com/thing/internal/tools\n\ngo 1.26\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return root
}

func publish(t *testing.T, root string) string {
	t.Helper()
	mods, err := ReadModules(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckVersions(mods, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	proxy := t.TempDir()
	if err := Publish(root, proxy, "v0.1.0", mods); err != nil {
		t.Fatal(err)
	}
	return proxy
}

func TestPublishPacksEachModuleWithoutTheOthers(t *testing.T) {
	proxy := publish(t, repository(t))
	packed := func(path string) []string {
		r, err := zip.OpenReader(filepath.Join(proxy, filepath.FromSlash(path), "@v", "v0.1.0.zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var names []string
		for _, f := range r.File {
			names = append(names, strings.TrimPrefix(f.Name, path+"@v0.1.0/"))
		}
		slices.Sort(names)
		return names
	}
	if got, want := packed("example.com/thing"), []string{".gitignore", "LICENSE", "MODULES", "go.mod", "thing.go"}; !slices.Equal(got, want) {
		t.Errorf("root: %q, want %q", got, want)
	}
	if got, want := packed("example.com/thing/rt/store"), []string{"LICENSE", "go.mod", "store.go"}; !slices.Equal(got, want) {
		t.Errorf("nested: %q, want %q", got, want)
	}
	for _, private := range []string{"examples", "internal"} {
		if _, err := os.Stat(filepath.Join(proxy, "example.com", "thing", private)); !os.IsNotExist(err) {
			t.Errorf("%s was published", private)
		}
	}
}

// TestPublishedModulesBuildFromTheProxy is the whole way in small: a tour that
// requires a nested module, whose replace line must not matter.
func TestPublishedModulesBuildFromTheProxy(t *testing.T) {
	proxy := publish(t, repository(t))
	const tour = `
<!-- tour:run -->
` + "```" + `
go mod init example.com/user
` + "```" + `
<!-- tour:file main.go -->
` + "```" + `
package main

import "example.com/thing/rt/store"

func main() { println(store.Word()) }
` + "```" + `
<!-- tour:run -->
` + "```" + `
go get example.com/thing/rt/store
go run . 2>&1
go list -m example.com/thing
` + "```" + `
<!-- tour:output -->
` + "```" + `
nested published
example.com/thing v0.1.0
` + "```\n"
	var log bytes.Buffer
	env := append(Env(os.Environ(), proxy, filepath.Join(t.TempDir(), "cache"), t.TempDir(), func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}), "GOPROXY="+fileURL(proxy), "GONOSUMDB=*")
	if err := parse(t, tour).Walk(t.Context(), t.TempDir(), env, &log); err != nil {
		t.Errorf("%v\n%s", err, log.String())
	}
}

func TestCheckVersionsRefusesMixedReleases(t *testing.T) {
	root := repository(t)
	mods, err := ReadModules(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckVersions(mods, "v0.2.0"); err == nil || !strings.Contains(err.Error(), "rt/store/go.mod requires example.com/thing at v0.1.0") {
		t.Errorf("got %v", err)
	}
	gomod := filepath.Join(root, "go.mod")
	if err := os.WriteFile(gomod, []byte("module example.com/thing\n\nreplace example.com/x => ../x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if mods, err = ReadModules(root); err != nil {
		t.Fatal(err)
	}
	if err := CheckVersions(mods, "v0.1.0"); err == nil || !strings.Contains(err.Error(), "replace") {
		t.Errorf("got %v", err)
	}
}

func TestReadModulesNamesAFolderWithoutModule(t *testing.T) {
	root := repository(t)
	if err := os.Remove(filepath.Join(root, "examples", "go.mod")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadModules(root); err == nil || !strings.Contains(err.Error(), "MODULES lists examples") {
		t.Errorf("got %v", err)
	}
}
