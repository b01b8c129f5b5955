package order

import "errors"

// Errors of the domain. Each is an ordinary error: the transaction it comes from is rolled back and leaves nothing behind.
var (
	// ErrNotFound: there is no such order or account.
	ErrNotFound = errors.New("order: not found")
	// ErrInsufficientFunds: the customer's account holds less than the order costs.
	ErrInsufficientFunds = errors.New("order: insufficient funds")
)

// Order is one order of one customer. Amount is in cents.
type Order struct {
	ID       string `json:"id"`
	BizNo    string `json:"bizNo"` // the number the customer's own system gave this order
	Customer string `json:"customer"`
	Amount   int64  `json:"amount"`
	Status   Status `json:"status"`
}

// Step is what an entry of the journal records.
type Step string

// The steps of an order's life, one per method of the service that writes.
const (
	StepCreate   Step = "create"
	StepPay      Step = "pay"
	StepShip     Step = "ship"
	StepSign     Step = "sign"
	StepRefund   Step = "refund"
	StepRefunded Step = "refunded"
)

// Entry is one line of the journal: something that happened to an order. Amount is in cents, seen from the customer's account; zero when no money moved.
type Entry struct {
	OrderID   string
	Step      Step
	Amount    int64
	Reference string // receipt number, tracking number, who signed, …
}
