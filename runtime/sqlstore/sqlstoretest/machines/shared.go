package machines

// Payment is one of two machines of one table: a delivery waits for it.
//
//idem:statemachine table=sales key=id column=pay_state initial=Unpaid final=Settled tests=true
//idem:transition Settle Unpaid -> Settled where="ship_state = :Waiting OR ship_state = :Shipped"
type Payment string

// States of a payment.
const (
	Unpaid  Payment = "UNPAID"
	Settled Payment = "SETTLED"
)

// Delivery is the other one. It ships what is paid, or sets the payment as well.
//
//idem:statemachine table=sales key=id column=ship_state initial=Waiting final=Shipped tests=true
//idem:transition Ship Waiting -> Shipped where="pay_state = :Settled"
//idem:transition ShipFree Waiting -> Shipped set="pay_state = :Settled, price = 0" where="price <= :limit AND NOT (price < 0)" params=limit:int64
type Delivery string

// States of a delivery.
const (
	Waiting Delivery = "WAITING"
	Shipped Delivery = "SHIPPED"
)
