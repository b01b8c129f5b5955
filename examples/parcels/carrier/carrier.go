// Package carrier stands for the module that a carrier publishes: its client is an interface that nobody here may change, and comments in it would be gone with the next version.
package carrier

import (
	"context"
	"errors"
)

// ErrClosed: the carrier takes no shipments at this hour, and has taken none.
var ErrClosed = errors.New("carrier: closed")

// Shipment is what a label is printed for.
type Shipment struct {
	Reference string // the sender's own name for it
	Grams     int64
}

// Label is a paid label.
type Label struct {
	Number string `json:"number"`
	Cents  int64  `json:"cents"`
}

// Client is the carrier's API.
type Client interface {
	Quoter
	// Book prints and charges one label per call.
	Book(ctx context.Context, s Shipment) (*Label, error)
}

// Quoter tells prices.
type Quoter interface {
	Quote(ctx context.Context, grams int64) (cents int64, err error)
}
