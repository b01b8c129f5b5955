// Package bank is a bank that lives in a process of its own and is not idempotent: each notification it gets is booked, the tenth as well as the first.
//
// The flow: [Handler] serves HTTP over a [Ledger], and [Client] is the service's side of it.
package bank

import (
	"encoding/json"
	"net/http"
	"time"
)

// notification is the body of POST /notifications. Amount is in cents.
type notification struct {
	OrderID string `json:"orderId"`
	Amount  int64  `json:"amount"`
}

// confirmation is the bank's answer to a notification, and to a question about one.
type confirmation struct {
	Number string `json:"number"`
}

// Handler serves the bank. Each notification takes at least latency.
//
//	POST /notifications            books a notification: 201 with its confirmation
//	GET  /notifications/{orderID}  200 with the confirmation when the bank was told, else 404
//	GET  /report                   all counts
func Handler(ledger *Ledger, latency time.Duration) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /notifications", func(w http.ResponseWriter, r *http.Request) {
		var n notification
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&n); err != nil || n.OrderID == "" || n.Amount <= 0 {
			http.Error(w, "a notification needs an order and an amount", http.StatusBadRequest)
			return
		}
		done, err := ledger.Begin(n.OrderID)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer done()
		time.Sleep(latency)
		reply(w, http.StatusCreated, confirm(n.OrderID))
	})
	mux.HandleFunc("GET /notifications/{orderID}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("orderID")
		if ledger.Calls(id) == 0 {
			http.Error(w, "never heard of it", http.StatusNotFound)
			return
		}
		reply(w, http.StatusOK, confirm(id))
	})
	mux.HandleFunc("GET /report", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, ledger.Report())
	})
	return mux
}

func confirm(orderID string) confirmation { return confirmation{Number: "bank-" + orderID} }

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone: nothing to do about it
}
