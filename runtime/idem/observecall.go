package idem

import "context"

// Observe tells the engine's observer, if there is one, of an event of this call:
// for layers in other packages, which run what Acquire claimed. Op and Key of the
// event are set here.
func (c *Call) Observe(ctx context.Context, e Event) { c.observe(ctx, e) }
