package layers

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// client is somebody who has an intention and whose calls are repeated by others.
type client interface {
	// try makes one call; again tells that it is to be repeated.
	try(ctx context.Context) (again bool, err error)
}

// storm calls every intention by many clients at once, each until it has an answer.
// after, when given, runs when a third of the clients are through, and again at two.
func storm(intentions, duplicates int, newClient func(intention int) client, after func()) error {
	var wg sync.WaitGroup
	var through atomic.Int64
	var failed atomic.Pointer[error]
	total := int64(intentions * duplicates)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for i := range intentions {
		c := newClient(i)
		for range duplicates {
			wg.Go(func() {
				for {
					again, err := c.try(ctx)
					if err != nil {
						failed.CompareAndSwap(nil, &err)
					}
					if !again || ctx.Err() != nil {
						break
					}
					time.Sleep(time.Millisecond)
				}
				if n := through.Add(1); after != nil && (n == total/3 || n == 2*total/3) {
					after()
				}
			})
		}
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// form is a page with a token in it, that is submitted many times. When the shop does
// not know its token any more the page is loaded again.
type form struct {
	tokens  idem.TokenStore
	pay     payFunc
	orderID string
	guarded bool // the shop asks for tokens

	mu    sync.Mutex
	token string
	loads int
}

// load returns the form's token; a new one when that was refused.
func (f *form) load(refused string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.guarded && f.token == refused {
		token := idem.NewToken()
		grant := idem.TokenGrant{Tokens: []idem.TokenID{token.ID()}, TTL: time.Minute, Keep: time.Hour}
		if err := f.tokens.Issue(context.Background(), grant); err != nil {
			return "", err
		}
		f.token = token.Reveal()
		f.loads++
	}
	return f.token, nil
}

func withToken(ctx context.Context, token string) context.Context {
	return idem.WithHeaders(ctx, func(name string) string {
		if name == "X-Idempotent-Token" {
			return token
		}
		return ""
	})
}

func (f *form) try(ctx context.Context) (bool, error) {
	token, err := f.load("")
	if err != nil {
		return false, err
	}
	receipt, err := f.pay(withToken(ctx, token), f.orderID)
	switch {
	case err == nil && (receipt == nil || receipt.OrderID != f.orderID):
		return false, errors.New("a wrong answer")
	case errors.Is(err, idem.ErrTokenUnknown):
		_, err = f.load(token)
		return true, err
	case transient(err):
		return true, nil
	case errors.Is(err, idem.ErrTokenUsed):
		return false, nil
	}
	return false, err
}

// click is a button that is clicked many times: each is a request with the same key
// and token. Who loads the form again has another key, too.
type click struct {
	form
	serve http.HandlerFunc
}

func (c *click) try(ctx context.Context) (bool, error) {
	token, err := c.load("")
	if err != nil {
		return false, err
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/pay?order="+c.orderID, strings.NewReader("{}"))
	r.Header.Set(httpidem.DefaultHeader, "click-"+c.orderID+token)
	r.Header.Set("X-Idempotent-Token", token)
	w := httptest.NewRecorder()
	c.serve(w, r)
	body := w.Body.String()
	switch {
	case w.Code == http.StatusOK:
		if !strings.Contains(body, c.orderID) {
			return false, errors.New("a wrong answer: " + body)
		}
		return false, nil
	case w.Code == http.StatusForbidden: // the token is unknown
		_, err = c.load(token)
		return true, err
	case w.Header().Get("Retry-After") != "", strings.Contains(body, "retry"):
		return true, nil
	case w.Code == http.StatusConflict: // the token was used
		return false, nil
	}
	return false, errors.New(w.Result().Status + ": " + string(bytes.TrimSpace(w.Body.Bytes())))
}

// delivery is a message that a broker delivers many times.
type delivery struct {
	take func(ctx context.Context, msg *Message) error
	msg  Message
}

func (d *delivery) try(ctx context.Context) (bool, error) {
	switch err := d.take(ctx, &d.msg); {
	case transient(err):
		return true, nil
	case idem.AnswerOf(err).Do != idem.Ack:
		return false, err
	}
	return false, nil
}

// transient tells what another try may mend, of the errors that idem knows: a call in
// progress, a conflict, an outage. Any other error fails the storm.
func transient(err error) bool {
	return idem.AnswerOf(err).Do == idem.Nack && idem.StatusOf(err).Code != "error"
}
