package shop

import (
	"context"
	"database/sql"
	"net/http"

	"github.com/idemgen/idemgen/examples/payment/api"
	"github.com/idemgen/idemgen/examples/payment/internal/layers"
	"github.com/idemgen/idemgen/examples/payment/internal/page"
	"github.com/idemgen/idemgen/examples/payment/service"
	"github.com/idemgen/idemgen/examples/payment/session"
	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// maxTokens is how many tokens a client gets at once.
const maxTokens = 20

// build makes everything between the network and the stores, anew where a store was replaced.
func (s *Shop) build() {
	log := idem.NewSlogObserver(s.log)
	tx := s.switches.Tx(s.store, func(ctx context.Context, tx *sql.Tx, id string) error { return s.orders.Forget(ctx, tx, id) })
	guarded := service.NewIdempotentService(
		service.New(s.db, s.orders, layers.Paying),
		idem.New(idem.GlobalScope, idem.WithObserver(layers.CallObserver(log))),
		tx, s.switches.Tokens(s.behind.tokens), sqlstore.UniqueViolation)
	gated := api.NewIdempotentHandler(api.New(guarded),
		idem.New(idem.GlobalScope, idem.WithObserver(layers.GateObserver(log))), s.behind.responses)

	mux := http.NewServeMux()
	mux.Handle("POST /tokens", &httpidem.TokenEndpoint{
		Tokens: s.behind.tokens, TTL: s.options.TokenTTL, Max: maxTokens,
		Bind: func(r *http.Request) string { return session.Of(r.Context()) },
	})
	mux.HandleFunc("POST /orders", gated.Create)
	mux.Handle("POST /orders/{id}/pay", s.switches.Watch(http.HandlerFunc(gated.Pay)))
	mux.HandleFunc("GET /orders", gated.Ledger)
	mux.HandleFunc("GET /demo/layers", s.listLayers)
	mux.HandleFunc("PUT /demo/layers/{layer}", s.setLayer)
	mux.HandleFunc("POST /demo/clear", s.clear)
	mux.Handle("GET /", page.Handler())
	var front http.Handler = http.NewCrossOriginProtection().Handler(session.Handler(mux))
	s.front.Store(&front)
}
