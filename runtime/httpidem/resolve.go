package httpidem

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Response is what the duplicates of a resolved request get.
type Response struct {
	Status int         // 200 to 599
	Header http.Header // the allow-listed ones are kept (H1)
	Body   []byte      // at most Route.MaxResult bytes
}

// ErrBadResponse: what was given to Resolve is no response.
var ErrBadResponse = errors.New("idem: not a response")

// Resolve decides a request whose outcome is unknown (C17): its duplicates get res, as
// if the handler had answered so. r is the request as a retry sends it: method, path,
// key, and what Route.Principal and the engine's scope read; its body is not read and
// does not count. Errors: what is wrong with the key, ErrBadResponse, idem.ErrNotHeld,
// idem.ErrStoreUnavailable.
func (g *Gate) Resolve(ctx context.Context, r *http.Request, res Response) error {
	switch {
	case res.Status < 200 || res.Status > 599:
		return fmt.Errorf("%w: %s: resolve: status %d", ErrBadResponse, g.op.Name, res.Status)
	case int64(len(res.Body)) > g.route.MaxResult:
		return fmt.Errorf("%w: %s: resolve: %d bytes", idem.ErrResultTooLarge, g.op.Name, len(res.Body))
	case len(res.Body) > 0 && !bodyAllowed(res.Status):
		return fmt.Errorf("%w: %s: resolve: a body with status %d", ErrBadResponse, g.op.Name, res.Status)
	}
	data := encode(res.Status, g.stored(res.Header, nil), res.Body)
	return g.resolve(ctx, r, idem.Resolution{
		Outcome: idem.Outcome{Kind: idem.Succeeded, Codec: codecName, Data: data}, Retention: g.route.TTL,
	})
}

// ResolveRerun frees a request whose outcome is unknown, for it had no effect: the
// next one runs the handler. Request and errors are those of Resolve.
func (g *Gate) ResolveRerun(ctx context.Context, r *http.Request) error {
	return g.resolve(ctx, r, idem.Resolution{Rerun: true})
}

func (g *Gate) resolve(ctx context.Context, r *http.Request, res idem.Resolution) error {
	key, err := keyOf(r.Header, g.route.Header)
	switch {
	case err != nil:
		return err
	case key == "":
		return badKey(g.route.Header, "it is required")
	case g.wrong != nil:
		return g.wrong
	}
	call := g.keyed(r, key, nil)
	if err := call.Err(); err != nil {
		return err
	}
	return g.store.Resolve(ctx, call.Key(), res)
}
