package parser

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/parser/diag"
)

const describedModule = `
-- idem.yaml --
version: 1
packages:
  ./orders:
    declarations:
      Status:
        states: {Created: CREATED, Paid: PAID}
        statemachine: {table: orders, key: id, column: status, initial: Created, final: Paid}
        transition: {Pay: Created -> Paid}
      Service.Pay:
        once: {key: id}
-- orders/orders.go --
package orders

import (
	"context"
	"database/sql"
)

type Service struct{}

func (s *Service) Pay(ctx context.Context, tx *sql.Tx, id string) error { return nil }
-- shop/shop.go --
package shop

import (
	"context"
	"database/sql"

	"example.com/m/orders"
)

type Order struct{ Status orders.Status }

//idem:fire orders.Status.Pay key=id
func Pay(ctx context.Context, tx *sql.Tx, id string, o Order, svc *orders.IdempotentService) error { return nil }
-- plain/plain.go --
package plain
`

// TestLaw_G4_DescriptionsOfOtherPackagesCostNothing: a run whose packages are neither
// annotated nor described starts no go command, and a fault of idem.yaml is told all
// the same.
func TestLaw_G4_DescriptionsOfOtherPackagesCostNothing(t *testing.T) {
	dir := module(t, describedModule)
	res, diags := Parse(context.Background(), Config{Dir: dir, Patterns: []string{"./plain"}})
	if len(diags) > 0 || res.Execs != 0 || len(res.Packages) != 0 {
		t.Errorf("%d go commands, %d packages, diagnostics:\n%s", res.Execs, len(res.Packages), diag.Text(diags, ""))
	}
	dir = module(t, strings.Replace(describedModule, "version: 1", "version: 3", 1))
	res, diags = Parse(context.Background(), Config{Dir: dir, Patterns: []string{"./plain"}})
	if got := diag.Text(diags, ""); res.Execs != 0 || !strings.HasPrefix(got, "idem.yaml:1:10: IDEM625: ") {
		t.Errorf("%d go commands, diagnostics:\n%s", res.Execs, got)
	}
}

// TestLaw_S1_MachineDescribedOutsideTheRun: a machine that idem.yaml describes in a
// package outside of the run is found, with the types that it declares.
func TestLaw_S1_MachineDescribedOutsideTheRun(t *testing.T) {
	dir := module(t, describedModule)
	for _, patterns := range [][]string{{"./shop"}, {"./..."}, {"example.com/m/..."}} {
		res, diags := Parse(context.Background(), Config{Dir: dir, Patterns: patterns})
		if len(diags) > 0 {
			t.Fatalf("%v: diagnostics:\n%s", patterns, diag.Text(diags, ""))
		}
		text := ""
		for _, p := range res.Packages {
			text += dump(p)
		}
		if !strings.Contains(text, "fire example.com/m/orders.Status.Pay key string {2 id}") || !strings.Contains(text, "*{example.com/m/orders:orders}.IdempotentService") {
			t.Errorf("%v: model:\n%s", patterns, text)
		}
		if got, want := strings.Contains(text, "state 0 Created Created const=true \"CREATED\""), patterns[0] != "./shop"; got != want {
			t.Errorf("%v: the machine is in the model: %v\n%s", patterns, got, text)
		}
	}
}

// TestLaw_S1_ImportsOfDescriptionsFoundLate: what only idem.yaml imports is listed also
// where the file is found after the packages were: by an import path, or beside a
// machine outside of the run.
func TestLaw_S1_ImportsOfDescriptionsFoundLate(t *testing.T) {
	dir := module(t, `
-- orders/idem.yaml --
version: 1
packages:
  .:
    imports: {pb: example.com/m/pb}
    declarations:
      Status:
        type: pb.Status
        statemachine: {table: orders, key: id, column: status, initial: pb.Created, final: pb.Paid}
        transition: {Pay: pb.Created -> pb.Paid}
-- orders/orders.go --
package orders
-- pb/pb.go --
package pb

type Status int32

const (
	Created Status = iota + 1
	Paid
)
-- shop/shop.go --
package shop

import (
	"context"
	"database/sql"

	"example.com/m/orders"
)

//idem:fire orders.Status.Pay key=id
func Pay(ctx context.Context, tx *sql.Tx, id string) error { return nil }

var _ orders.Status
`)
	for _, pattern := range []string{"./shop", "example.com/m/orders", "example.com/m/...", "./orders"} {
		res, diags := Parse(context.Background(), Config{Dir: dir, Patterns: []string{pattern}})
		if len(diags) > 0 || len(res.Packages) == 0 || res.Execs > 2 {
			t.Errorf("%s: %d packages, %d go commands, diagnostics:\n%s", pattern, len(res.Packages), res.Execs, diag.Text(diags, ""))
		}
	}
}

// TestLaw_G4_DescriptionsAreFoundFromAnyFolder: the folder that a run starts from does
// not matter, and places are relative to it.
func TestLaw_G4_DescriptionsAreFoundFromAnyFolder(t *testing.T) {
	dir := module(t, describedModule)
	want := ""
	for _, at := range []string{".", "orders", "plain"} {
		pattern, err := filepath.Rel(filepath.Join(dir, at), filepath.Join(dir, "orders"))
		if err != nil {
			t.Fatal(err)
		}
		if pattern = filepath.ToSlash(pattern); !strings.HasPrefix(pattern, ".") {
			pattern = "./" + pattern
		}
		res, diags := Parse(context.Background(), Config{Dir: filepath.Join(dir, at), Patterns: []string{pattern}})
		if len(diags) > 0 || len(res.Packages) != 1 {
			t.Fatalf("%s: %d packages, diagnostics:\n%s", at, len(res.Packages), diag.Text(diags, ""))
		}
		got := dump(res.Packages[0])
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("from %s:\n%s\nwant\n%s", at, got, want)
		}
	}
}

// TestLaw_G4_UnreadableDescription: an idem.yaml that is a folder is told with its path.
func TestLaw_G4_UnreadableDescription(t *testing.T) {
	dir := module(t, describedModule+"-- plain/idem.yaml/x --\n")
	_, diags := Parse(context.Background(), Config{Dir: dir, Patterns: []string{"./plain"}})
	if got := diag.Text(diags, ""); !strings.Contains(got, "plain/idem.yaml: IDEM613: can't read the file: is a directory") {
		t.Errorf("diagnostics:\n%s", got)
	}
}
