package templates

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

// allCases are all packages of the tests but the orders example.
func allCases() []genCase {
	list := append([]genCase{}, genCases...)
	return append(append(append(list, machineCases...), guardCases...), layerCases...)
}

// builder makes the model of a case.
func (c genCase) builder(t *testing.T) *builder {
	t.Helper()
	b := newBuilder(t, c.dir, c.src, c.names)
	if c.dir == "remote/machine" {
		b.pkg.Taken = []string{"Open", "Shut", "Status", "Unused"}
	}
	if c.test {
		b.pkg.Output = model.OutputTestFile
	}
	c.build(b)
	return b
}

// tree is the module of all cases with their generated files, written once.
var tree struct {
	sync.Once
	dir string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if tree.dir != "" && os.Getenv("IDEMGEN_KEEP") == "" {
		os.RemoveAll(tree.dir)
	}
	os.Exit(code)
}

// module returns the folder of a module that holds every case, its generated
// file and the tests that run in it, and that uses the runtime of this tree.
func module(t *testing.T) string {
	t.Helper()
	tree.Do(func() {
		dir, err := os.MkdirTemp("", "idemgen-templates-")
		if err != nil {
			t.Fatal(err)
		}
		tree.dir = dir
		root, err := filepath.Abs("..")
		if err != nil {
			t.Fatal(err)
		}
		write(t, "go.mod", "module "+casesModule+"\n\ngo 1.26\n\nrequire github.com/idemgen/idemgen v0.0.0\n\nreplace github.com/idemgen/idemgen => "+root+"\n")
		if sum, err := os.ReadFile(filepath.Join(root, "go.sum")); err == nil {
			write(t, "go.sum", string(sum))
		}
		for name, text := range helperPackages {
			write(t, name, text)
		}
		for name, text := range runTests {
			write(t, name, text)
		}
		for _, c := range allCases() {
			b := c.builder(t)
			input := "input.go"
			if c.test {
				input = "input_test.go"
			}
			write(t, c.dir+"/"+input, c.src)
			for name, text := range b.files() {
				write(t, c.dir+"/"+name, text)
			}
			if !c.test && b.pkg.MachineTestFile() != "" {
				write(t, c.dir+"/open_test.go", openTestSource)
			}
		}
		write(t, "orders/input.go", ordersSource)
		write(t, "orders/idem_gen.go", orders(t).emit())
	})
	if tree.dir == "" {
		t.Fatal("the module could not be written")
	}
	return tree.dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if tree.dir == "" {
		t.Fatal("there is no module yet: call module first")
	}
	name = filepath.Join(tree.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goTool runs the go command in the module and returns what it printed.
func goTool(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = module(t)
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// openTestSource is what a user writes for generated tests.
const openTestSource = "package m\n\nimport (\n\t\"testing\"\n\n\t\"github.com/idemgen/idemgen/runtime/idem\"\n)\n\n" +
	"func openIdemTest(t *testing.T) (idem.DB, idem.Dialect) { t.Skip(); return nil, 0 }\n"

// Any signature compiles, and go vet has nothing to say.
func TestLaw_G1_EverySignatureCompiles(t *testing.T) {
	if out, err := goTool(t, "vet", "-tags=integration", "./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The tests inside the module: what the generated code does.
func TestGeneratedCodeRuns(t *testing.T) {
	out, err := goTool(t, "test", "-vet=off", "./orders", "./guards", "./machines")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A constant that changed its value stops the generated file from compiling.
func TestDriftDoesNotCompile(t *testing.T) {
	module(t)
	for _, c := range append(guardCases, machineCases...) {
		change := map[string][2]string{
			"m_guarded": {"Small = 3", "Small = 4"},
			"m_int":     {"Mid Prio = 3", "Mid Prio = 4"}, "m_untyped": {`"old"`, `"older"`},
			"m_bool": {"Off Flag = false; On Flag = true", "Off Flag = true; On Flag = false"}, "m_iota": {"Second;", "Gap; Second;"},
		}[c.dir]
		if change[0] == "" {
			continue
		}
		dir := "drift_" + c.dir
		write(t, dir+"/input.go", strings.Replace(c.src, change[0], change[1], 1))
		write(t, dir+"/idem_gen.go", c.builder(t).emit())
		out, err := goTool(t, "build", "./"+dir)
		os.RemoveAll(filepath.Join(module(t), dir))
		if err == nil || !strings.Contains(out, "duplicate key false") {
			t.Errorf("%s: %v\n%s", c.dir, err, out)
		}
	}
}

// From another package the unguarded method is out of reach.
func TestLaw_G9_UnguardedMethodIsOutOfReach(t *testing.T) {
	const head = "package out\n\nimport (\n\t\"context\"\n\n\t\"example.com/cases/orders\"\n)\n\nfunc try(w *orders.IdempotentService) error { return w."
	module(t)
	for _, c := range []struct {
		expr string
		ok   bool
	}{
		{`NotifyBank(context.Background(), "1")`, true},
		{`serviceNext.NotifyBank(context.Background(), "1")`, false},
		{`Service.NotifyBank(context.Background(), "1")`, false},
		{`ServiceNext.NotifyBank(context.Background(), "1")`, false},
	} {
		write(t, "out/out.go", head+c.expr+" }\n")
		out, err := goTool(t, "build", "./out")
		if (err == nil) != c.ok {
			t.Errorf("%s: %v\n%s", c.expr, err, out)
		}
	}
	os.RemoveAll(filepath.Join(module(t), "out"))
}
