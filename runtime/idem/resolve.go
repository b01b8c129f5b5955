package idem

import "context"

// CallOf is a Call that knows what its method results in, so that a held one can
// only be resolved to that.
type CallOf[R any] struct{ Call }

// Resolve decides a held call (C17): its duplicates get result, as if the first
// call had returned it. Make call as the wrapper does; its fingerprint does not
// count. Errors: what was wrong with the call, ErrNotHeld, ErrStoreUnavailable.
func Resolve[R any](ctx context.Context, store RecordStore, call CallOf[R], result R) error {
	if err := call.named(); err != nil {
		return err
	}
	o, e := encodeResult(&call.Call, &result)
	err := store.Resolve(ctx, call.key, Resolution{Outcome: o, Retention: call.op.retention()})
	if err == nil {
		call.observe(ctx, e)
	}
	return err
}

// ResolveError decides a held call: its duplicates get the error, as if the first
// call had returned it as Final.
func ResolveError[R any](ctx context.Context, store RecordStore, call CallOf[R], err error) error {
	if bad := call.named(); bad != nil {
		return bad
	}
	return store.Resolve(ctx, call.key, Resolution{
		Outcome: failure(&call.Call, Final(err)), Retention: call.op.retention(),
	})
}

// ResolveRerun frees a held call: the next one runs the method.
func ResolveRerun[R any](ctx context.Context, store RecordStore, call CallOf[R]) error {
	if err := call.named(); err != nil {
		return err
	}
	return store.Resolve(ctx, call.key, Resolution{Rerun: true})
}
