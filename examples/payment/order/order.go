package order

// Order is one order of one customer.
type Order struct {
	ID       string `json:"id"`
	Number   string `json:"number"`   // the customer's own number for it, unique per customer
	Customer string `json:"customer"` // whose it is
	Amount   int64  `json:"amount"`   // in cents
	Status   Status `json:"status"`
}

// Payment is a line of the ledger: money that was taken for an order.
type Payment struct {
	ID      string `json:"id"`
	OrderID string `json:"orderId"`
	Amount  int64  `json:"amount"` // in cents
}

// Entry is an order with the payments that were taken for it. More than one is a fault, and so is a paid order without any.
type Entry struct {
	Order
	Payments []Payment `json:"payments"`
}
