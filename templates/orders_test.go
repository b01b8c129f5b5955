package templates

import (
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

const ordersSource = `package orders

import (
	"context"
	"database/sql"
	"errors"
)

type Status string

const (
	Created   Status = "CREATED"
	Held      Status = "HELD"
	Paid      Status = "PAID"
	Cancelled Status = "CANCELLED"
)

var ErrSoldOut = errors.New("sold out")

type (
	Receipt       struct{ ID string }
	Order         struct{ ID string; Status Status }
	CreateRequest struct{ BizNo string }
	Service       struct{}
)

func (s *Service) Create(ctx context.Context, tx *sql.Tx, req *CreateRequest) (*Order, error) { return nil, nil }

func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string, amount int64) (*Receipt, error) { return nil, nil }

func (s *Service) Cancel(ctx context.Context, tx *sql.Tx, orderID string) error { return nil }

func (s *Service) Receipt(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error) { return nil, nil }

func (s *Service) NotifyBank(ctx context.Context, orderID string) error { return nil }
`

// orders is the package of the contract's example.
func orders(t *testing.T) *builder {
	b := newBuilder(t, "orders", ordersSource, nil)
	b.pkg.Sentinels = []string{"ErrSoldOut"}
	status := b.machine("Status", "Status", "string",
		[]string{"Created=CREATED", "Held=HELD", "Paid=PAID", "Cancelled=CANCELLED"},
		"Pay Created,Held -> Paid", "Hold Created -> Held", "Cancel Created,Held -> Cancelled")
	status.Events[0].Proofs = []int{2}
	b.method("Service.Create", b.once("", b.keyed("req.BizNo", model.KindString, "req")))
	b.method("Service.Pay", b.once("orderID", func(m *model.Method) {
		m.Once.Errors = []model.ErrorRule{{Do: "store", Name: "ErrSoldOut", Expr: model.Text("ErrSoldOut")}}
	}), b.fire(status, "Pay", "orderID"))
	b.method("Service.Cancel", b.fire(status, "Cancel", "orderID"))
	b.method("Service.NotifyBank", b.once("orderID"))
	return b
}
