package layers

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// payFunc is the shop as its fronts call it: by one of its guarded methods, or bare.
type payFunc func(ctx context.Context, orderID string) (*Receipt, error)

// Gateway is the shop's HTTP front.
type Gateway struct{ pay payFunc }

// Serve pays an order.
//
//idem:request wait=20s
func (g *Gateway) Serve(w http.ResponseWriter, r *http.Request) {
	ctx := idem.WithHeaders(r.Context(), r.Header.Get)
	receipt, err := g.pay(ctx, r.URL.Query().Get("order"))
	if err != nil {
		httpidem.Problem(w, err)
		return
	}
	body, err := json.Marshal(receipt)
	if err != nil {
		httpidem.Problem(w, err)
		return
	}
	w.Write(body)
}

// Message asks for a payment.
type Message struct{ ID, OrderID string }

// Consumer is the shop's front for messages.
type Consumer struct{ pay payFunc }

// Take pays the order of a message.
//
//idem:message key=msg.ID consumer=billing orphan=rerun match=none
func (c *Consumer) Take(ctx context.Context, msg *Message) error {
	_, err := c.pay(ctx, msg.OrderID)
	return err
}
