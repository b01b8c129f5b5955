package httpidem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/idemgen/idemgen/runtime/idem"
)

// ErrBodyTooLarge is a request body over Route.MaxBody; the handler did not run.
var ErrBodyTooLarge = errors.New("idem: request body too large")

// ErrBodyUnread is a request body that could not be read; the handler did not run.
var ErrBodyUnread = errors.New("idem: request body could not be read")

// ErrRequestEnded is a request that ended, its client gone or out of patience,
// before its key was claimed; the handler did not run.
var ErrRequestEnded = errors.New("idem: request ended before it was claimed")

// body reads the whole body of a request. The server sends 100 Continue when it is
// read first, and closes the connection when too much comes.
func (g *Gate) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := g.route.MaxBody
	if r.ContentLength > limit {
		return nil, fmt.Errorf("%w: %d bytes, more than %d", ErrBodyTooLarge, r.ContentLength, limit)
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge): // of this limit, or of a tighter one in front
		return nil, fmt.Errorf("%w: more than %d bytes", ErrBodyTooLarge, tooLarge.Limit)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBodyUnread, err)
	}
	return body, nil
}

// withBody is a copy of a request that has its body again. Where the body had
// trailers its length stays open, so that a proxy behind can pass them on.
func withBody(r *http.Request, ctx context.Context, body []byte) *http.Request {
	r = r.WithContext(ctx)
	if body == nil {
		return r
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if len(r.Trailer) == 0 {
		r.ContentLength, r.TransferEncoding = int64(len(body)), nil
	} else if _, marked := r.Trailer[ReplayedHeader]; marked { // H4
		r.Trailer = r.Trailer.Clone()
		r.Trailer.Del(ReplayedHeader)
	}
	return r
}

// Headers lets the layers of generated wrappers read a request's headers
// (idem.Header), where no gate stands in front: a gate does the same.
func Headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { open(w, r, next.ServeHTTP) })
}

// open runs a handler unguarded.
func open(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	inner := r.WithContext(headersOf(r.Context(), r))
	next(w, inner)
	giveBack(r, inner)
}

func headersOf(ctx context.Context, r *http.Request) context.Context {
	return idem.WithHeaders(ctx, r.Header.Get)
}

// giveBack tells a request what its copy went through: whoever stands in front asks
// it for its route, and the server removes the files of its form.
func giveBack(r, inner *http.Request) {
	if r.Pattern == "" {
		r.Pattern = inner.Pattern
	}
	if r.MultipartForm == nil {
		r.MultipartForm = inner.MultipartForm
	}
}

// unmarked is a request without the marker that only we may set (H4).
func unmarked(r *http.Request) *http.Request {
	if _, marked := r.Header[ReplayedHeader]; !marked {
		return r
	}
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.Header.Del(ReplayedHeader)
	return r
}
