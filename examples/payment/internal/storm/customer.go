package storm

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/idemgen/idemgen/examples/payment/internal/layers"
	"github.com/idemgen/idemgen/examples/payment/order"
	"github.com/idemgen/idemgen/examples/payment/service"
)

// customer is a program that clicks.
type customer struct {
	session string
	hands   []hand
	http    *http.Client
	wishes  []*wish

	mu   sync.Mutex
	url  string
	seen Row
}

// wish is an order that shall be paid once.
type wish struct {
	order order.Order

	mu       sync.Mutex
	key      string // of its requests
	token    string
	receipts map[string]bool // numbers
}

const amount = 4200 // cents

func newCustomer(url string, hands []hand) *customer {
	if hands == nil {
		hands = []hand{again, proxy, tab}
	}
	return &customer{session: rand.Text(), url: url, hands: hands, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

func (c *customer) moveTo(url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.url = url
}

// order opens orders, each with a token for its payment.
func (c *customer) order(ctx context.Context, n int) error {
	for i := range n {
		w := &wish{key: rand.Text(), receipts: map[string]bool{}}
		body := map[string]any{"number": fmt.Sprint("A-", i), "amount": amount}
		if _, err := c.post(ctx, "/orders", body, http.Header{"Idempotency-Key": {rand.Text()}}, &w.order); err != nil {
			return err
		}
		if err := c.retoken(ctx, w, ""); err != nil {
			return err
		}
		c.wishes = append(c.wishes, w)
	}
	return nil
}

// issue gets a token.
func (c *customer) issue(ctx context.Context) (string, error) {
	var got struct{ Tokens []string }
	if _, err := c.post(ctx, "/tokens", nil, nil, &got); err != nil {
		return "", err
	}
	if len(got.Tokens) != 1 {
		return "", errors.New("no token was issued")
	}
	return got.Tokens[0], nil
}

// retoken gets a new token and request id for all clicks, unless another click did since.
func (c *customer) retoken(ctx context.Context, w *wish, old string) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.token == old {
		w.key = rand.Text()
		w.token, err = c.issue(ctx)
	}
	return err
}

// by is what the i-th click of a wave carries.
func (c *customer) by(ctx context.Context, w *wish, i int) (key, token string, err error) {
	w.mu.Lock()
	key, token = w.key, w.token
	w.mu.Unlock()
	switch c.hands[i%len(c.hands)] {
	case proxy:
		key = rand.Text()
	case tab:
		key = rand.Text()
		token, err = c.issue(ctx)
	}
	return key, token, err
}

// click pays, and tries again with a new token where the token was not known any more.
func (c *customer) click(ctx context.Context, w *wish, i int) error {
	for range 2 {
		key, token, err := c.by(ctx, w, i)
		if err != nil {
			return err
		}
		var receipt service.Receipt
		header := http.Header{"Idempotency-Key": {key}, "X-Idempotent-Token": {token}}
		resp, err := c.post(ctx, "/orders/"+w.order.ID+"/pay", map[string]any{"amount": w.order.Amount}, header, &receipt)
		if resp == nil {
			return err
		}
		said, traceErr := layers.ParseTrace(resp.Header.Get(layers.Header))
		if traceErr != nil {
			return traceErr
		}
		c.count(resp.StatusCode, said)
		switch {
		case resp.StatusCode == http.StatusOK:
			w.mu.Lock()
			w.receipts[receipt.Number] = true
			w.mu.Unlock()
			return nil
		case resp.StatusCode == http.StatusForbidden:
			if err := c.retoken(ctx, w, token); err != nil {
				return err
			}
		case resp.StatusCode == http.StatusConflict: // used, or running: the other click has the receipt
			return nil
		default:
			return err
		}
	}
	return errors.New("a new token was refused")
}

// count counts an answer by the layer that gave it.
func (c *customer) count(status int, said map[layers.Layer]layers.Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen.Calls++
	if l, stopped := layers.Answerer(said); stopped {
		c.seen.Answered[l]++
	} else if status == http.StatusOK {
		c.seen.Executed++
	}
}

// row is what was seen.
func (c *customer) row() Row {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.seen
	r.Intentions = len(c.wishes)
	for _, w := range c.wishes {
		switch len(w.receipts) {
		case 0:
			r.Without++
		case 1:
		default:
			r.Several++
		}
	}
	return r
}

// post sends one request. Where the answer is no success the response comes with an error.
func (c *customer) post(ctx context.Context, path string, body any, header http.Header, into any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	url := c.url + path
	c.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Authorization", "Bearer "+c.session)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it is read, or not wanted
	if resp.StatusCode >= 300 {
		var text bytes.Buffer
		_, _ = text.ReadFrom(resp.Body) // what of it came
		return resp, fmt.Errorf("%s: %s: %s", path, resp.Status, text.String())
	}
	return resp, json.NewDecoder(resp.Body).Decode(into)
}
