package crash

import (
	"bytes"
	"io"
	"net/http"
)

// Transport stands before and after the bank: at BankBefore no byte has left, at BankAfter the whole answer is here. A nil Trap returns next itself.
func (t *Trap) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return &transport{trap: t, next: next}
}

type transport struct {
	trap *Trap
	next http.RoundTripper
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.trap.At(r.Context(), BankBefore)
	res, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if cerr := res.Body.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	t.trap.At(r.Context(), BankAfter)
	return res, nil
}
