package machines

// Bill has no history: what a row was is known as far as its state proves it.
//
//idem:statemachine table=bills key=id column=bill initial=BillOpen final=BillVoid tests=true
//idem:transition Pay BillOpen -> BillPaid
//idem:transition Cancel BillOpen,BillPaid -> BillVoid
type Bill string

// States of a bill.
const (
	BillOpen Bill = "OPEN"
	BillPaid Bill = "PAID"
	BillVoid Bill = "VOID"
)

// Invoice is a bill with a history.
//
//idem:statemachine table=invoices key=id column=invoice initial=InvoiceOpen final=InvoiceVoid history=invoice_history tests=true
//idem:transition Pay InvoiceOpen -> InvoicePaid
//idem:transition Cancel InvoiceOpen,InvoicePaid -> InvoiceVoid
type Invoice string

// States of an invoice.
const (
	InvoiceOpen Invoice = "OPEN"
	InvoicePaid Invoice = "PAID"
	InvoiceVoid Invoice = "VOID"
)
