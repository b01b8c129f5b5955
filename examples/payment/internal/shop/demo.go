package shop

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
)

// listLayers answers GET /demo/layers: {"gate":true,…}.
func (s *Shop) listLayers(w http.ResponseWriter, _ *http.Request) {
	on := map[string]bool{}
	for _, l := range layers.All() {
		on[l.String()] = s.switches.On(l)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(on) // the client is gone: nothing to do about it
}

// setLayer answers PUT /demo/layers/{layer} {"on":false}.
func (s *Shop) setLayer(w http.ResponseWriter, r *http.Request) {
	var req struct{ On *bool }
	l, err := layers.Parse(r.PathValue("layer"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&req); err != nil || req.On == nil {
		http.Error(w, `want {"on":true} or {"on":false}`, http.StatusBadRequest)
		return
	}
	s.done(w, s.Set(r.Context(), l, *req.On))
}

// clear answers POST /demo/clear.
func (s *Shop) clear(w http.ResponseWriter, r *http.Request) { s.done(w, s.Clear(r.Context())) }

func (s *Shop) done(w http.ResponseWriter, err error) {
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, ErrDoubles):
		http.Error(w, "The ledger holds doubles, so its unique index can't be created. Start afresh.", http.StatusConflict)
	default:
		s.log.Error("demo", "error", err)
		http.Error(w, "That failed; the log says why.", http.StatusInternalServerError)
	}
}
