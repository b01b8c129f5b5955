// Package shop has the guarded state of an order: what an inner layer in SQL relies on.
package shop

// Status is where an order stands. Paying it twice is what must not happen.
//
//idem:statemachine table=orders key=id column=status initial=Created final=Paid
//idem:transition Pay Created -> Paid
type Status string

// The states.
const (
	Created Status = "CREATED"
	Paid    Status = "PAID"
)
