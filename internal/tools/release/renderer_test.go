package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func goenv(t *testing.T) func(string) string {
	return func(name string) string {
		t.Helper()
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
}

// TestReleasedIdemgenFindsItsRenderer: idemgen as the tool of a module draws SVG with
// the renderer of its own version, which go run fetches; the module's go.mod is not
// touched, and names nothing that the renderer needs.
func TestReleasedIdemgenFindsItsRenderer(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	mods, err := ReadModules(root)
	if err != nil {
		t.Fatal(err)
	}
	proxy, cache, home, work := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	if err := Publish(root, proxy, "v0.1.0", mods); err != nil {
		t.Fatal(err)
	}
	env := Env(os.Environ(), proxy, cache, home, goenv(t))
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = work, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	shop := "package shop\n\n//idem:statemachine table=orders key=id column=status initial=Created final=Paid\n//idem:transition Pay Created -> Paid\ntype Status string\n\nconst (\n\tCreated Status = \"a\\\"b\"\n\tPaid Status = \"支付\"\n)\n"
	if err := os.WriteFile(filepath.Join(work, "shop.go"), []byte(shop), 0o644); err != nil {
		t.Fatal(err)
	}
	run("go", "mod", "init", "example.com/shop")
	run("go", "get", "-tool", "github.com/idemgen/idemgen/cmd/idemgen@v0.1.0")
	if v := run("go", "tool", "idemgen", "version"); !strings.HasPrefix(v, "idemgen v0.1.0 go1.") {
		t.Errorf("version: %s", v)
	}
	before := read(t, filepath.Join(work, "go.mod"))
	run("go", "tool", "idemgen", "graph", "-format=svg", "-o", "status.svg")
	svg := read(t, filepath.Join(work, "status.svg"))
	for _, want := range []string{"<!-- State machine drawn by idemgen. -->\n<svg ", "a&quot;b</text>", "支付</text>", "prefers-color-scheme: dark"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in\n%s", want, svg)
		}
	}
	run("go", "tool", "idemgen", "graph", "-format=svg", "-o", "status.svg")
	if again := read(t, filepath.Join(work, "status.svg")); again != svg {
		t.Error("other bytes the second time")
	}
	if after := read(t, filepath.Join(work, "go.mod")); after != before || strings.Contains(after, "graphviz") {
		t.Errorf("go.mod was\n%s\nand is\n%s", before, after)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
