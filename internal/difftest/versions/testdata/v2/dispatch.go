package shop

import "context"

// Call calls a guarded method by its name.
func Call(ctx context.Context, s *IdempotentService, method string, req PayRequest) (any, error) {
	switch method {
	case "refund":
		return s.Refund(ctx, req)
	case "pay":
		return s.Pay(ctx, req)
	case "notify":
		return s.Notify(ctx, req)
	case "quote":
		return s.Quote(ctx, req)
	}
	return nil, errUnknownMethod
}
