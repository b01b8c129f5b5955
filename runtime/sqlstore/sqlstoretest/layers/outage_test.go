package layers

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/faultproxy"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// wire is a way to a server that can be broken.
type wire struct{ *faultproxy.Proxy }

func newWire(t *testing.T, addr string) wire {
	t.Helper()
	p, err := faultproxy.New(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return wire{p}
}

// cut takes the server away, mend brings it back.
func (w wire) cut()  { w.SetRefuse(true); w.Cut() }
func (w wire) mend() { w.SetRefuse(false) }

// outage is a shop behind two wires: one to its business database, with the records of
// its transactions, and one to the store of what stands outside them.
type outage struct {
	world
	business, outer wire
	certain         *sqlstore.Tokens // with no wire between
	front           idem.RecordStore // of requests and messages
}

func newOutage(t *testing.T) *outage {
	d := databases[1] // Postgres: there is no wire to a file
	server := servers.Postgres(t)
	base := server.Database(t)
	o := &outage{business: newWire(t, server.Addr()), outer: newWire(t, server.Addr())}
	o.T, o.engine = t, idem.New(idem.GlobalScope, idem.WithPruning(0))
	o.db = d.connect(t, base.DSN())
	d.migrate(t, o.db)
	if err := sqlstore.NewLocks(o.db, d.dialect).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, o.db, "CREATE UNIQUE INDEX "+uniqueIndex+" ON payments (order_id)")
	business, outer := d.connect(t, base.At(o.business.Addr()).DSN()), d.connect(t, base.At(o.outer.Addr()).DSN())
	o.certain = sqlstore.NewTokens(o.db, d.dialect)
	o.front = sqlstore.New(outer, d.dialect)
	o.next = NewShop(business, d.dialect)
	o.shop = NewIdempotentShop(o.next, o.engine, sqlstore.New(business, d.dialect),
		sqlstore.NewTokens(outer, d.dialect), sqlstore.NewLocks(outer, d.dialect), sqlstore.UniqueViolation)
	return o
}

// caller makes a call of a method in some layers, always with the same token.
func (o *outage) caller(layers, orderID string) func(ctx context.Context) error {
	o.Helper()
	token := idem.NewToken()
	if err := o.certain.Issue(o.Context(), idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, TTL: time.Minute}); err != nil {
		o.Fatal(err)
	}
	pay := o.pay(strings.Trim(layers, "RC"))
	switch layers[0] {
	case 'R':
		gate := NewIdempotentGateway(&Gateway{pay: pay}, o.engine, o.front)
		return func(ctx context.Context) error {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/pay?order="+orderID, nil)
			r.Header.Set(httpidem.DefaultHeader, orderID)
			r.Header.Set("X-Idempotent-Token", token.Reveal())
			w := httptest.NewRecorder()
			gate.Serve(w, r)
			switch {
			case w.Code == http.StatusOK:
				return nil
			case w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "":
				return idem.ErrStoreUnavailable
			}
			return errors.New(w.Result().Status + ": " + w.Body.String())
		}
	case 'C':
		consumer := NewIdempotentConsumer(&Consumer{pay: pay}, o.engine, o.front)
		return func(ctx context.Context) error { return consumer.Take(ctx, &Message{ID: orderID, OrderID: orderID}) }
	}
	return func(ctx context.Context) error {
		_, err := pay(withToken(ctx, token.Reveal()), orderID)
		return err
	}
}

// TestLaw_C15_OutagesThroughTheLayers: of every method in its layers, none runs while a
// store that it needs is away, whichever that is; the call says so and holds nothing up:
// with the stores back the same call, with the same token, has its one effect.
func TestLaw_C15_OutagesThroughTheLayers(t *testing.T) {
	t.Parallel()
	const business = "the business database"
	o := newOutage(t)
	for _, layers := range []string{"T", "M", "U", "TM", "TU", "MU", "TMU", "O", "TO", "OU", "L", "RTO", "RO", "COU", "CO"} {
		t.Run(layers, func(t *testing.T) {
			o.T = t
			orderID := "order-" + layers
			execute(t, o.db, "INSERT INTO orders (id, status) VALUES ('"+orderID+"', 'CREATED')")
			call := o.caller(layers, orderID)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			refused := func(what string) {
				t.Helper()
				// The check of a lock is the shop's own, and so is its error.
				err, own := call(ctx), what == business && layers == "L"
				if err == nil || !errors.Is(err, idem.ErrStoreUnavailable) && !own {
					t.Errorf("%s is away: %v", what, err)
				}
				if n := o.payments(orderID); n > 0 {
					t.Errorf("%s is away: %d payments", what, n)
				}
			}
			if strings.ContainsAny(layers, "TLRC") {
				o.outer.cut()
				refused("the outer store")
				o.outer.mend()
			}
			o.business.cut()
			refused(business)
			o.business.mend()

			for again := range 4 {
				err := call(ctx)
				switch {
				case again == 0 && err != nil:
					t.Errorf("with all stores back: %v", err)
				case err != nil && !errors.Is(err, idem.ErrTokenUsed):
					t.Errorf("again: %v", err)
				}
			}
			if n := o.payments(orderID); n != 1 {
				t.Errorf("%d payments", n)
			}
		})
	}
}

// payments counts those of an order.
func (o *outage) payments(orderID string) (n int) {
	o.Helper()
	if err := o.db.QueryRow("SELECT COUNT(*) FROM payments WHERE order_id = '" + orderID + "'").Scan(&n); err != nil {
		o.Fatal(err)
	}
	return n
}
