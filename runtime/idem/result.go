package idem

import (
	"context"
	"fmt"
	"reflect"
)

// codec is the codec of the call's results.
func (c *Call) codec() Codec {
	if c.op.Codec != nil {
		return c.op.Codec
	}
	return c.engine.codec
}

// maxResult is the largest result that is kept, in bytes.
func (c *Call) maxResult() int64 {
	switch {
	case c.op.MaxResult > 0:
		return c.op.MaxResult
	case c.engine.maxResult > 0:
		return c.engine.maxResult
	}
	return DefaultMaxResult
}

// encodeResult makes the outcome of a method that succeeded. It never fails: a
// result that can't be kept is remembered as done (C9). The event is for when the
// outcome is stored; its zero value tells nothing.
func encodeResult[R any](c *Call, res *R) (Outcome, Event) {
	if noResult[R](c.op) {
		return Outcome{Kind: Succeeded}, Event{}
	}
	if isNil(res) {
		return Outcome{Kind: Succeeded, Codec: nilCodec}, Event{}
	}
	codec := c.codec()
	data, err := codec.Encode(*res)
	if err != nil {
		return Outcome{Kind: Succeeded, Codec: brokenCodec}, Event{Kind: EventUnreadable, Err: err}
	}
	if int64(len(data)) > c.maxResult() {
		return Outcome{Kind: Oversize}, Event{Kind: EventOversize, Err: fmt.Errorf("%w: %d bytes", ErrResultTooLarge, len(data))}
	}
	if codec == (JSON{}) {
		if why := unrestorable(c.engine.restored, reflect.TypeFor[R]()); why != "" {
			return Outcome{Kind: Succeeded, Codec: brokenCodec}, Event{Kind: EventUnreadable, Err: fmt.Errorf("idem: JSON can't bring the result back: %s", why)}
		}
	}
	return Outcome{Kind: Succeeded, Codec: codec.Name(), Data: data}, Event{}
}

// noResult tells that a result is never stored.
func noResult[R any](op *Op) bool {
	_, none := any((*R)(nil)).(*None)
	return none || op.NoResult
}

// isNil tells a nil pointer, slice or map, which not every codec brings back.
func isNil[R any](res *R) bool {
	v := reflect.ValueOf(res).Elem()
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// replay turns a completed record into what the first call returned. It asks
// lookup, which may be nil, where the record has no result to give.
func replay[R any](ctx context.Context, c *Call, o *Outcome, lookup func(context.Context) (R, error)) (R, error) {
	var res R
	var err error
	switch {
	case o.Kind == Failed:
		err = c.replayError(ctx, o)
	case o.Kind == Oversize:
		err = fmt.Errorf("%w: %s", ErrResultTooLarge, c.op.Name)
	case o.Kind != Succeeded:
		err = c.unreadable(ctx, fmt.Errorf("outcome kind %d", o.Kind))
	case noResult[R](c.op):
		if lookup != nil {
			return lookedUp(ctx, c, lookup)
		}
	case o.Codec == nilCodec:
	default:
		res, err = decodeResult[R](ctx, c, o)
	}
	if err != nil && lookup != nil && o.Kind != Failed {
		return lookedUp(ctx, c, lookup)
	}
	c.observe(ctx, Event{Kind: EventReplayed, Err: err})
	return res, err
}

// lookedUp answers a duplicate by the look-up.
func lookedUp[R any](ctx context.Context, c *Call, lookup func(context.Context) (R, error)) (R, error) {
	res, err := lookup(ctx)
	c.observe(ctx, Event{Kind: EventLookedUp, Err: err})
	return res, err
}

// decodeResult decodes a stored result.
func decodeResult[R any](ctx context.Context, c *Call, o *Outcome) (R, error) {
	var res R
	codec := c.codec()
	switch {
	case codec.Name() == o.Codec:
	case o.Codec == JSON{}.Name():
		codec = JSON{} // stored before the operation had a codec of its own
	default:
		return res, c.unreadable(ctx, fmt.Errorf("codec %q", o.Codec))
	}
	if err := codec.Decode(o.Data, &res); err != nil {
		var zero R // nothing of a result that was decoded in part
		return zero, c.unreadable(ctx, err)
	}
	return res, nil
}

// unreadable reports a record that is done, but can't be decoded (C9).
func (c *Call) unreadable(ctx context.Context, err error) error {
	c.observe(ctx, Event{Kind: EventUnreadable, Err: err})
	return fmt.Errorf("%w: %s: %w", ErrResultUnreadable, c.op.Name, err)
}
