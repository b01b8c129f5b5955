// Package order is the domain of the payment service: orders, the one state that they move to, and the ledger of payments, all in SQL.
//
// The flow: service methods get a transaction, the generated [StatusGuard] has moved the order's state in it, and the [Repository] reads and writes everything else.
package order

//go:generate go tool idemgen

// Status is where an order stands. The column orders.status holds these values.
//
//idem:statemachine table=orders key=id column=status initial=Created final=Paid
//idem:transition Pay Created -> Paid
type Status string

// The states of an order.
const (
	Created Status = "CREATED"
	Paid    Status = "PAID"
)
