package machines

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// A late payment of what was cancelled unpaid is never acknowledged. Without a
// history the same goes for what was cancelled after it was paid: the state does
// not prove the payment. With one it is known. The run is the same on every
// database.
func TestLaw_S2_LatePayment(t *testing.T) {
	want, err := os.ReadFile("testdata/late_payment.txt")
	if err != nil {
		t.Fatal(err)
	}
	onEach(t, func(f *fixture) {
		f.exec("CREATE TABLE bills (id VARCHAR(20) PRIMARY KEY, bill VARCHAR(20) NOT NULL)")
		f.exec("CREATE TABLE invoices (id VARCHAR(20) PRIMARY KEY, invoice VARCHAR(20) NOT NULL)")
		f.history("invoice_history")
		var out strings.Builder
		tell := func(what string, change any, err error) {
			ack := "refused"
			if err == nil || idem.AlreadyApplied(err) {
				ack = "acknowledged"
			}
			if err != nil {
				change = strings.TrimPrefix(err.Error(), "idem: ")
			}
			fmt.Fprintf(&out, "%-24s %-12s %v\n", what, ack, change)
		}
		ctx := t.Context()
		bills, invoices := NewBillGuard(f.on.dialect), NewInvoiceGuard(f.on.dialect)
		// each runs events on a new bill and a new invoice.
		each := func(id string, events ...string) {
			fmt.Fprintf(&out, "%s: %s\n", id, strings.Join(events, ", "))
			if err := errors.Join(bills.Create(ctx, f.idem, id), invoices.Create(ctx, f.idem, id)); err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				switch e {
				case "pay":
					bill, err := bills.Pay(ctx, f.idem, id)
					tell("  bill "+e, bill.To, err)
					invoice, err := invoices.Pay(ctx, f.idem, id)
					tell("  invoice "+e, invoice.To, err)
				case "cancel":
					bill, err := bills.Cancel(ctx, f.idem, id)
					tell("  bill "+e, bill.To, err)
					invoice, err := invoices.Cancel(ctx, f.idem, id)
					tell("  invoice "+e, invoice.To, err)
				}
			}
		}
		each("cancelled unpaid", "cancel", "pay")
		each("paid and cancelled", "pay", "cancel", "pay")
		each("paid twice", "pay", "pay")
		each("cancelled twice", "pay", "cancel", "cancel")
		if out.String() != string(want) {
			t.Errorf("got\n%swant\n%s", &out, want)
		}
	})
}
