package races

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
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

func paid(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// netHTTP serves one request again and again.
func netHTTP(h http.Handler) (run.Running, error) {
	r := httptest.NewRequest(http.MethodPost, "/pay", nil)
	r.Header.Set("Idempotency-Key", httpKey)
	w := &nowhere{header: http.Header{}}
	return run.Running{Op: func(context.Context, int) error {
		clear(w.header)
		w.bytes = 0
		h.ServeHTTP(w, r)
		if w.bytes != len(body) {
			return fmt.Errorf("%d bytes", w.bytes)
		}
		return nil
	}}, nil
}

// HTTP is a retry that gets the stored response.
func HTTP() run.Race {
	return run.Race{Group: "Runtime: in memory", Name: "an HTTP retry gets the stored response", Unit: "request",
		Note: "The bare handler keeps nothing and runs each time; the hand-written one keeps the body alone, compares no payload and has no claim.",
		Contestants: []run.Contestant{
			{Name: "fiber's middleware", Start: func(context.Context) (run.Running, error) {
				app := fiber.New()
				app.Use(idempotency.New())
				app.Post("/pay", func(c fiber.Ctx) error {
					c.Set("Content-Type", "application/json")
					return c.SendString(body)
				})
				h := app.Handler()
				var ctx fasthttp.RequestCtx
				ctx.Request.Header.SetMethod(http.MethodPost)
				ctx.Request.SetRequestURI("/pay")
				ctx.Request.Header.Set("X-Idempotency-Key", httpKey)
				return run.Running{Op: func(context.Context, int) error {
					ctx.Response.Reset()
					h(&ctx)
					if n := len(ctx.Response.Body()); n != len(body) {
						return fmt.Errorf("%d bytes", n)
					}
					return nil
				}}, nil
			}},
			{Name: Ours, Start: func(context.Context) (run.Running, error) {
				gate := httpidem.New(idem.New(idem.GlobalScope), memstore.New(), httpidem.Route{})
				return netHTTP(gate.Wrap(http.HandlerFunc(paid)))
			}},
			{Name: "hand-written", Start: func(context.Context) (run.Running, error) {
				type entry struct {
					until time.Time
					body  []byte
				}
				var mu sync.Mutex
				kept := map[string]entry{}
				return netHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					key := r.Header.Get("Idempotency-Key")
					mu.Lock()
					e, ok := kept[key]
					mu.Unlock()
					if !ok || time.Now().After(e.until) {
						e = entry{time.Now().Add(time.Hour), []byte(body)}
						mu.Lock()
						kept[key] = e
						mu.Unlock()
					}
					w.Header().Set("Content-Type", "application/json")
					w.Write(e.body)
				}))
			}},
			{Name: "bare handler", Start: func(context.Context) (run.Running, error) { return netHTTP(http.HandlerFunc(paid)) }},
		}}
}
