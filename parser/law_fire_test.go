package parser

import (
	"context"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/parser/diag"
)

// TestLaw_S1_MachineOfAPackageOutsideTheRun: a machine is found in an imported
// package that is not part of the run; nothing is generated there, and its own
// faults are not reported.
func TestLaw_S1_MachineOfAPackageOutsideTheRun(t *testing.T) {
	dir := module(t, service+`
-- orders/bad.go --
package orders

//idem:once key=nothing orphan=hold
func Bad(id string) {}

//idem:statemachine table=t key=id column=c initial=Gone final=Gone
//idem:transition Go Gone -> Gone
type Broken string
-- shop/shop.go --
package shop

import (
	"context"
	"database/sql"

	_ "example.com/m/orders"
)

//idem:fire orders.Status.Pay key=id
func Pay(ctx context.Context, tx *sql.Tx, id string) error { return nil }

//idem:fire orders.Broken.Go key=id
func Go(ctx context.Context, tx *sql.Tx, id string) error { return nil }
`)
	res, diags := Parse(context.Background(), Config{Dir: dir, Patterns: []string{"./shop"}})
	want := "shop/shop.go:13:13: IDEM410: state machine orders.Broken has faults of its own\n\trun idemgen on package example.com/m/orders to see them\n"
	if got := diag.Text(diags, ""); got != want {
		t.Errorf("diagnostics:\n%swant\n%s", got, want)
	}
	if len(res.Packages) != 1 || res.Packages[0].Name != "shop" {
		t.Fatalf("packages %v", res.Packages)
	}
	if got := dump(res.Packages[0]); !strings.Contains(got, "fire example.com/m/orders.Status.Pay key string {2 id}") {
		t.Errorf("model:\n%s", got)
	}
}
