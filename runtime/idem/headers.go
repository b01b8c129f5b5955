package idem

import "context"

// headersKey finds the headers that a request came with.
type headersKey struct{}

// WithHeaders puts into a context what a request says of itself: HTTP headers or
// gRPC metadata. get is asked by name and answers "" for what is not there; it must
// be safe for concurrent use. httpidem and grpcidem call it.
func WithHeaders(ctx context.Context, get func(name string) string) context.Context {
	return context.WithValue(ctx, headersKey{}, get)
}

// Header is a header of the request that the context belongs to; "" when there is
// none, or no request.
func Header(ctx context.Context, name string) string {
	get, _ := ctx.Value(headersKey{}).(func(string) string)
	if get == nil {
		return ""
	}
	return get(name)
}
