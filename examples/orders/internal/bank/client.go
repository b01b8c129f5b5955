package bank

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/idemgen/idemgen/examples/orders/service"
)

// Client is the service's side of the bank. It implements service.Bank. Safe for concurrent use.
type Client struct {
	base string // http://host:port
	http *http.Client
}

// NewClient makes a client of the bank at a base URL. transport nil means http.DefaultTransport.
func NewClient(base string, transport http.RoundTripper) *Client {
	return &Client{base: base, http: &http.Client{Transport: transport}}
}

var _ service.Bank = (*Client)(nil)

// Notify tells the bank of a payment. Its error wraps service.ErrBankRefused or service.ErrNoAnswer.
func (c *Client) Notify(ctx context.Context, orderID string, amount int64) (*service.Confirmation, error) {
	body, err := json.Marshal(notification{OrderID: orderID, Amount: amount})
	if err != nil {
		return nil, fmt.Errorf("bank: encode: %w", err)
	}
	var conf confirmation
	status, err := c.do(ctx, http.MethodPost, "/notifications", body, &conf)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", service.ErrNoAnswer, err)
	case status == http.StatusCreated:
		return &service.Confirmation{Number: conf.Number}, nil
	case status >= 400 && status < 500:
		return nil, fmt.Errorf("%w: status %d", service.ErrBankRefused, status)
	default:
		return nil, fmt.Errorf("%w: status %d", service.ErrNoAnswer, status)
	}
}

// Find asks whether the bank was told of an order; nil means it was not.
func (c *Client) Find(ctx context.Context, orderID string) (*service.Confirmation, error) {
	var conf confirmation
	status, err := c.do(ctx, http.MethodGet, "/notifications/"+url.PathEscape(orderID), nil, &conf)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", service.ErrNoAnswer, err)
	case status == http.StatusOK:
		return &service.Confirmation{Number: conf.Number}, nil
	case status == http.StatusNotFound:
		return nil, nil
	default:
		return nil, fmt.Errorf("%w: status %d", service.ErrNoAnswer, status)
	}
}

// Report asks for all counts.
func (c *Client) Report(ctx context.Context) (Report, error) {
	var r Report
	status, err := c.do(ctx, http.MethodGet, "/report", nil, &r)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("bank: report: status %d", status)
	}
	return r, err
}

// do sends one request and decodes the body of a 2xx answer into out.
func (c *Client) do(ctx context.Context, method, path string, body []byte, out any) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("bank: request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }() // read to its end below
	data, err := io.ReadAll(io.LimitReader(res.Body, 8<<20))
	if err != nil {
		return 0, fmt.Errorf("bank: read answer: %w", err)
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		if err := json.Unmarshal(data, out); err != nil {
			return 0, fmt.Errorf("bank: understand answer: %w", err)
		}
	}
	return res.StatusCode, nil
}
