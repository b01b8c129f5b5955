package races

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
	"github.com/valyala/fasthttp"

	"github.com/idemgen/idemgen/internal/bench/run"
	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// httpKey has the form that fiber's middleware asks for.
const httpKey = "00000000-0000-4000-8000-000000000000"

const body = `{"orderId":"A-1","amount":4200}`

// nowhere is a response that is thrown away, but for its status.
type nowhere struct {
	header http.Header
	status int
	bytes  int
}

func (n *nowhere) Header() http.Header { return n.header }
func (n *nowhere) WriteHeader(s int)   { n.status = s }
func (n *nowhere) Write(b []byte) (int, error) {
	n.bytes += len(b)
	return len(b), nil
}

// bodies counts how often a handler has run.
type bodies struct{ ran atomic.Int64 }

func (b *bodies) paid(w http.ResponseWriter, _ *http.Request) {
	b.ran.Add(1)
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// once proves that one request has run the handler, and the others had its response.
func (b *bodies) once(int) error { return counted("handlers ran", &b.ran, 1) }

// always proves that each request has run the handler.
func (b *bodies) always(ops int) error { return counted("handlers ran", &b.ran, ops) }

// netHTTP serves one request again and again; ran proves how often the handler has run
// for so many.
func netHTTP(h http.Handler, ran func(ops int) error) (run.Running, error) {
	r := httptest.NewRequest(http.MethodPost, "/pay", nil)
	r.Header.Set("Idempotency-Key", httpKey)
	w := &nowhere{header: http.Header{}}
	responses := 0 // one caller
	return run.Running{
		Op: func(context.Context, int) error {
			clear(w.header)
			w.bytes = 0
			h.ServeHTTP(w, r)
			if w.bytes != len(body) {
				return fmt.Errorf("%d bytes", w.bytes)
			}
			responses++
			return nil
		},
		Verify: func(_ context.Context, ops int) error {
			if responses != ops {
				return fmt.Errorf("%d responses to %d requests", responses, ops)
			}
			if err := ran(ops); err != nil {
				return err
			}
			got := httptest.NewRecorder()
			h.ServeHTTP(got, r)
			return response(got.Code, got.Header().Get("Content-Type"), got.Body.String())
		}}, nil
}

// response fails unless it is the handler's.
func response(status int, contentType, text string) error {
	if status != http.StatusOK || contentType != "application/json" || text != body {
		return fmt.Errorf("the response is %d, %s, %q", status, contentType, text)
	}
	return nil
}

// HTTP is a retry that gets the stored response.
func HTTP() run.Race {
	return run.Race{Group: MemoryGroup, Name: HTTPName, Unit: "request",
		Note: "The bare handler keeps nothing and runs each time; the hand-written one keeps the body alone, compares no payload and has no claim.",
		Contestants: []run.Contestant{
			{Name: Fiber, Start: fiberRetry},
			{Name: Ours, Start: func(context.Context) (run.Running, error) {
				b := new(bodies)
				gate := httpidem.New(idem.New(idem.GlobalScope), memstore.New(), httpidem.Route{})
				return netHTTP(gate.Wrap(http.HandlerFunc(b.paid)), b.once)
			}},
			{Name: "hand-written", Start: keptByHand},
			{Name: BareHandler, Start: func(context.Context) (run.Running, error) {
				b := new(bodies)
				return netHTTP(http.HandlerFunc(b.paid), b.always)
			}},
		}}
}

func fiberRetry(context.Context) (run.Running, error) {
	b := new(bodies)
	app := fiber.New()
	app.Use(idempotency.New())
	app.Post("/pay", func(c fiber.Ctx) error {
		b.ran.Add(1)
		c.Set("Content-Type", "application/json")
		return c.SendString(body)
	})
	h := app.Handler()
	var ctx fasthttp.RequestCtx
	responses := 0
	ctx.Request.Header.SetMethod(http.MethodPost)
	ctx.Request.SetRequestURI("/pay")
	ctx.Request.Header.Set("X-Idempotency-Key", httpKey)
	op := func(context.Context, int) error {
		ctx.Response.Reset()
		h(&ctx)
		if n := len(ctx.Response.Body()); n != len(body) {
			return fmt.Errorf("%d bytes", n)
		}
		responses++
		return nil
	}
	return run.Running{Op: op, Verify: func(c context.Context, ops int) error {
		if responses != ops {
			return fmt.Errorf("%d responses to %d requests", responses, ops)
		}
		if err := errors.Join(op(c, 0), b.once(ops)); err != nil {
			return err
		}
		return response(ctx.Response.StatusCode(), string(ctx.Response.Header.ContentType()), string(ctx.Response.Body()))
	}}, nil
}

// keptByHand is a handler that keeps its body in a map.
func keptByHand(context.Context) (run.Running, error) {
	type entry struct {
		until time.Time
		body  []byte
	}
	b := new(bodies)
	var mu sync.Mutex
	kept := map[string]entry{}
	return netHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		mu.Lock()
		e, ok := kept[key]
		mu.Unlock()
		if !ok || time.Now().After(e.until) {
			b.ran.Add(1)
			e = entry{time.Now().Add(time.Hour), []byte(body)}
			mu.Lock()
			kept[key] = e
			mu.Unlock()
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(e.body)
	}), b.once)
}
