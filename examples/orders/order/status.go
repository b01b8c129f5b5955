// Package order is the domain of the order service: what an order is, the states it goes through, and how it is kept in SQL.
//
// The flow: service methods get a transaction, change the order's state through the generated [StatusGuard] (the one way that column changes), and use the [Repository] for everything else.
package order

//go:generate go tool idemgen

// Status is where an order stands. The column orders.status holds these values.
//
//idem:statemachine table=orders key=id column=status initial=Created final=Completed,Refunded
//idem:transition Pay Created -> Paid
//idem:transition Ship Paid -> Shipped
//idem:transition Sign Shipped -> Completed
//idem:transition Refund Paid -> Refunding
//idem:transition Settle Refunding -> Refunded
type Status string

// The states of an order. Money is with the customer in Created and Refunded, and with the shop in all others.
const (
	Created   Status = "CREATED"
	Paid      Status = "PAID"
	Shipped   Status = "SHIPPED"
	Completed Status = "COMPLETED"
	Refunding Status = "REFUNDING"
	Refunded  Status = "REFUNDED"
)
