package templates

import (
	"errors"
	"flag"
	"go/format"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/imports"

	"github.com/idemgen/idemgen/internal/model"
)

var update = flag.Bool("update", false, "write the golden file")

// outputs are the generated files of all cases, with their place in the module.
func outputs(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{"orders/idem_gen.go": orders(t).emit()}
	for _, c := range allCases() {
		for name, text := range c.builder(t).files() {
			files[c.dir+"/"+name] = text
		}
	}
	return files
}

// Output is byte-identical over runs, whatever order the model's lists are in,
// also when runs share a model.
func TestLaw_G5_ByteIdentical(t *testing.T) {
	for _, c := range append(allCases(), genCase{dir: "orders"}) {
		var b *builder
		if c.dir == "orders" {
			b = orders(t)
		} else {
			b = c.builder(t)
		}
		want := b.files()
		rng := rand.New(rand.NewPCG(1, 2))
		runs := 16
		if c.dir == "m_big" {
			runs = 4
		}
		var wg sync.WaitGroup
		for range runs {
			p := *b.pkg
			p.Services = shuffled(rng, p.Services)
			for i, s := range p.Services {
				service := *s
				service.Methods = shuffled(rng, s.Methods)
				p.Services[i] = &service
			}
			p.Funcs, p.Machines = shuffled(rng, p.Funcs), shuffled(rng, p.Machines)
			wg.Go(func() {
				got, err := Files(&p)
				if err != nil || len(got) != len(want) {
					t.Errorf("%s: %d files, %v", c.dir, len(got), err)
				}
				for _, f := range got {
					if string(f.Content) != want[filepath.Base(f.Path)] {
						t.Errorf("%s: %s differs", c.dir, f.Path)
					}
				}
			})
		}
		wg.Wait()
	}
}

func shuffled[T any](rng *rand.Rand, list []T) []T {
	out := append([]T(nil), list...)
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// No line of the output is a directive, but for the build constraint; lines end
// with LF; the header is the first line.
func TestLaw_G7_NoDirectivesInOutput(t *testing.T) {
	for name, src := range outputs(t) {
		if !strings.HasPrefix(src, model.Header+"\n") || strings.Contains(src, "\r") {
			t.Errorf("%s: header or line ends", name)
		}
		for _, line := range strings.Split(src, "\n") {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "//idem:") || strings.HasPrefix(line, "//go:") && !strings.HasPrefix(line, "//go:build ") {
				t.Errorf("%s: %s", name, line)
			}
		}
		if strings.HasPrefix(name, "constraint/") != strings.Contains(src, "\n//go:build integration && !windows\n\npackage ") {
			t.Errorf("%s: constraint", name)
		}
	}
}

// gofmt and goimports change nothing.
func TestLaw_G8_FormattersChangeNothing(t *testing.T) {
	dir := module(t)
	t.Chdir(dir) // goimports asks the go command about the packages around the file
	for name, src := range outputs(t) {
		formatted, err := format.Source([]byte(src))
		if err != nil || string(formatted) != src {
			t.Errorf("%s: gofmt: %v", name, err)
		}
		processed, err := imports.Process(filepath.Join(dir, name), []byte(src), &imports.Options{Comments: true, TabIndent: true, TabWidth: 8})
		if err != nil || string(processed) != src {
			t.Errorf("%s: goimports: %v\n%s", name, err, importsOf(string(processed)))
		}
	}
}

func importsOf(src string) string {
	head, _, _ := strings.Cut(src, ")")
	return head
}

// Explicit edges win over wildcard ones, whatever the order; self edges are edges.
func TestLaw_S4_ExplicitEdgesWin(t *testing.T) {
	const src = "package m\n\ntype S string\n\nconst (\n\tA S = \"a\"\n\tB S = \"b\"\n\tC S = \"c\"\n)\n"
	emit := func(edges ...model.Edge) string {
		b := newBuilder(t, "s4", src, nil)
		m := b.machine("S", "S", "string", []string{"A=a", "B=b", "C=c"}, "Go A -> B")
		m.Events[0].Edges = edges
		return b.emit()
	}
	explicit, wild := model.Edge{From: 0, To: 1}, model.Edge{From: 0, To: 2, Wildcard: true}
	self := model.Edge{From: 2, To: 2, Wildcard: true}
	want := "Edges: []idem.Edge{{From: 0, To: 1}, {From: 2, To: 2}},"
	first := emit(explicit, wild, self)
	if !strings.Contains(first, want) || strings.Contains(first, "WHEN 'a' THEN 'c'") {
		t.Error(first)
	}
	if emit(self, wild, explicit) != first {
		t.Error("the order of edges matters")
	}
}

// One target of an event proves it while another does not.
func TestLaw_S2_ProofsAreToldPerTarget(t *testing.T) {
	const src = "package m\n\ntype S string\n\nconst (\n\tA S = \"a\"\n\tB S = \"b\"\n\tC S = \"c\"\n\tD S = \"d\"\n)\n"
	b := newBuilder(t, "s2", src, nil)
	m := b.machine("S", "S", "string", []string{"A=a", "B=b", "C=c", "D=d"}, "Go A -> C", "Hold A -> B")
	m.Events[0].Edges = []model.Edge{{From: 0, To: 2}, {From: 1, To: 3}}
	m.Events[0].Proofs = []int{2}
	text := b.emit()
	for _, want := range []string{"[]int{2}", "Fired again it is Duplicate, or Superseded; Illegal where it led to D,"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A row may be in the initial state without any event, and a target that other
// events lead into proves nothing: the generated data must not say that it does.
func TestLaw_S2_OnlyOwnTargetsProveADuplicate(t *testing.T) {
	const src = "package m\n\ntype S string\n\nconst (\n\tA S = \"a\"\n\tB S = \"b\"\n\tC S = \"c\"\n)\n"
	for _, c := range []struct {
		event  string
		proofs []int
		want   string // "" for none
		doc    string
	}{
		{"Go A -> B", []int{1}, "[]int{1}", "Fired again it is Duplicate, or Superseded."},
		{"Go A -> B", nil, "", "Fired again it is Illegal:"},
		{"Back B -> A", []int{0}, "", "Fired again it is Illegal:"},
	} {
		b := newBuilder(t, "s2", src, nil)
		m := b.machine("S", "S", "string", []string{"A=a", "B=b", "C=c"}, c.event)
		m.Events[0].Proofs = c.proofs
		text := b.emit()
		if has := strings.Contains(text, "Proofs:"); has != (c.want != "") || has && !strings.Contains(text, c.want) || !strings.Contains(text, c.doc) {
			t.Errorf("%+v: %v", c, has)
		}
	}
}

// Names that users write are refused where they are taken, all of them at once.
func TestClashes(t *testing.T) {
	const src = `package shop
import ("context"; "database/sql")
type IdempotentService struct{}
type string int
func StatusPay() {}
type Status string
const (A Status = "a"; B Status = "b")
type Service struct{}
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, id string) error { return nil }
func (s *Service) PayTx() {}
func Save(tx *sql.Tx, id string) error { return nil }
func IdempotentSaveTx() {}
`
	b := newBuilder(t, "clash", src, nil)
	b.pkg.FileNames = []string{"StatusGuard"}
	b.machine("Status", "Status", "string", []string{"A=a", "B=b"}, "Pay A -> B")
	b.method("Service.Pay", b.once("id"))
	b.method("Save", b.once("id"))
	_, err := Emit(b.pkg)
	var clash *ClashError
	if !errors.As(err, &clash) {
		t.Fatal(err)
	}
	var got []string
	for _, c := range clash.Clashes {
		got = append(got, c.Name)
	}
	want := "string StatusPay StatusGuard IdempotentService Service.PayTx IdempotentSaveTx"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if len(Clashes(b.pkg)) != len(got) || len(Clashes(orders(t).pkg)) != 0 {
		t.Error("Clashes")
	}
}

// A constructor takes exactly the parts that its layers need.
func TestConstructorsTakeExactlyTheirParts(t *testing.T) {
	files := outputs(t)
	for name, want := range map[string]string{
		"blank/idem_gen.go":       "func NewIdempotentService(next *Service, engine *idem.Engine, records idem.RecordStore) *IdempotentService {",
		"remote/user/idem_gen.go": "func NewIdempotentService(next *Service, engine *idem.Engine, tx idem.TxStore[*sql.Tx]) *IdempotentService {",
		"ctx_places/idem_gen.go":  "func newIdempotentLogger(next *logger, engine *idem.Engine, records idem.RecordStore, tx idem.TxStore[*sql.Tx], tx2 idem.TxStore[*gorm.DB], tx3 idem.TxStore[struct{}]) *idempotentLogger {",
		"generics/idem_gen.go":    "func NewIdempotentReader[K ids.Key](next Reader[K], engine *idem.Engine, tx idem.TxStore[*sql.Tx]) *IdempotentReader[K] {",
		"interfaces/idem_gen.go":  "var _ Svc = (*IdempotentSvc)(nil)",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s has not: %s", name, want)
		}
	}
	if strings.Contains(files["generics/idem_gen.go"], "var _ Reader") || strings.Contains(files["variadic/idem_gen.go"], "var _ API") {
		t.Error("an interface is asserted whose signatures changed")
	}
}

// The layers of a method are named in the fixed order, whatever they are.
func TestLayersStandInTheFixedOrder(t *testing.T) {
	src := orders(t).emit()
	if !strings.Contains(src, "// Layers: transaction [ once (key orderID), fire Status.Pay (key orderID) ].") {
		t.Error("label")
	}
	once, fire, business := strings.Index(src, "idem.OnceTx(ctx, s.tx, call, func(ctx context.Context, tx *sql.Tx) (*Receipt"), strings.Index(src, "s.status.Pay("), strings.Index(src, "s.serviceNext.Pay(")
	if once < 0 || once > fire || fire > business {
		t.Error("order", once, fire, business)
	}
}

// The whole output of the orders example, for review.
func TestGoldenOrders(t *testing.T) {
	const file = "testdata/orders.golden"
	got := orders(t).emit()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (-update writes it):\n%s", file, got)
	}
}
