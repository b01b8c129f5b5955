package storm

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
)

// Row is what a scenario came to.
type Row struct {
	Scenario   string
	Doubles    bool   // what must come of it: more payments than orders
	Intentions int    // orders that shall be paid once
	Calls      int    // requests to pay
	Effects    int    // payments in the ledger
	Executed   int    // calls that no layer answered
	Answered   [5]int // calls by the layer that answered, from the gate in
	Without    int    // orders whose customer has no receipt
	Several    int    // orders with different receipts
}

// Fault says what is wrong with a row; "" for nothing.
func (r *Row) Fault() string {
	switch {
	case r.Doubles && r.Effects <= r.Intentions:
		return "the storm found no double"
	case r.Doubles:
		return ""
	case r.Effects != r.Intentions:
		return "payments are not orders"
	case r.Several > 0:
		return "one order has several receipts"
	case r.Without > 0:
		return "a customer has no receipt"
	}
	return ""
}

// Report is the table.
type Report struct{ Rows []Row }

// OK tells whether every row came to what it must.
func (r *Report) OK() bool {
	for i := range r.Rows {
		if r.Rows[i].Fault() != "" {
			return false
		}
	}
	return true
}

// Write prints the table.
func (r *Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	var b strings.Builder
	b.WriteString("\torders\tclicks\tpayments\texecuted\t")
	for _, l := range layers.All() {
		b.WriteString(l.String() + "\t")
	}
	b.WriteString("\t\n")
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(&b, "%s\t%d\t%d\t%d\t%d\t", row.Scenario, row.Intentions, row.Calls, row.Effects, row.Executed)
		for _, n := range row.Answered {
			fmt.Fprintf(&b, "%d\t", n)
		}
		verdict := "one each"
		if row.Doubles {
			verdict = "doubles, as it must"
		}
		if fault := row.Fault(); fault != "" {
			verdict = "FAULT: " + fault
		}
		b.WriteString(verdict + "\t\n")
	}
	if _, err := io.WriteString(t, b.String()); err != nil {
		return err
	}
	return t.Flush()
}
