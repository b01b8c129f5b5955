package redisscript

import (
	"context"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Records is an idem.RecordStore.
type Records struct {
	*runner
	prefix                                             string
	claim, look, renewal, completion, removal, resolve *Script
}

var _ idem.RecordStore = (*Records)(nil)

func newRecords(r *runner, prefix string) *Records {
	return &Records{
		runner: r, prefix: prefix + "r:",
		claim: load("claim"), look: load("lookup"), renewal: load("renew"),
		completion: load("complete"), removal: load("release"), resolve: load("resolve"),
	}
}

func (s *Records) key(k *idem.Key) string { return keyName(s.prefix, &k.Hash) }

// Claim implements idem.RecordStore: one round trip.
func (s *Records) Claim(ctx context.Context, c idem.Claim) (idem.Found, error) {
	if c.Look {
		return s.Lookup(ctx, c.Key)
	}
	readable := c.Key.Readable[:min(len(c.Key.Readable), idem.MaxReadable)]
	rest := make([]byte, 0, len(c.Fingerprint)+2+len(readable))
	rest = append(rest, c.Fingerprint[:]...)
	rest = append(rest, 0, byte(len(readable)))
	rest = append(rest, readable...)
	args := []string{string(c.Owner[:]), strconv.Itoa(int(c.Orphan)), micros(c.Lease), claimKeep(&c), string(rest)}
	answer, err := s.run(ctx, "claim", s.claim, []string{s.key(&c.Key)}, args)
	if err != nil {
		return idem.Found{}, err
	}
	return parseFound("claim", answer)
}

// claimKeep is how long the record of a running claim is kept when its owner
// vanishes: under the hold policy for ever (C13), else for the retention after the
// lease, so that a slow owner whom nobody replaced can still complete it.
func claimKeep(c *idem.Claim) string {
	switch {
	case c.Orphan == idem.OrphanHold || c.Retention < 0:
		return ""
	case c.Retention == 0: // Complete says it
		return keepMillis(min(c.Lease, longest) + idem.DefaultTTL)
	}
	return keepMillis(min(c.Lease, longest) + min(c.Retention, longest))
}

// Lookup implements idem.RecordStore: one round trip.
func (s *Records) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	answer, err := s.run(ctx, "look up", s.look, []string{s.key(&k)}, nil)
	if err != nil {
		return idem.Found{}, err
	}
	return parseFound("look up", answer)
}

// Renew implements idem.RecordStore: one round trip.
func (s *Records) Renew(ctx context.Context, h idem.Hold, lease time.Duration) error {
	return s.settle(ctx, "renew", s.renewal, &h, micros(lease))
}

// Complete implements idem.RecordStore: one round trip.
func (s *Records) Complete(ctx context.Context, h idem.Hold, o idem.Outcome, retention time.Duration) error {
	return s.settle(ctx, "complete", s.completion, &h,
		strconv.Itoa(int(o.Kind)), keepMillis(retention), o.Codec, string(o.Data))
}

// Release implements idem.RecordStore: one round trip.
func (s *Records) Release(ctx context.Context, h idem.Hold) error {
	return s.settle(ctx, "release", s.removal, &h)
}

// settle runs a script that begins by comparing a hold.
func (s *Records) settle(ctx context.Context, doing string, script *Script, h *idem.Hold, args ...string) error {
	args = append([]string{holdArg(&h.Owner, h.Fence)}, args...)
	answer, err := s.run(ctx, doing, script, []string{s.key(&h.Key)}, args)
	if err != nil {
		return err
	}
	return settled(doing, answer, idem.ErrLeaseLost)
}

// Resolve implements idem.RecordStore: one round trip.
func (s *Records) Resolve(ctx context.Context, k idem.Key, res idem.Resolution) error {
	args := []string{"0", "", "", ""}
	if !res.Rerun {
		o := &res.Outcome
		args = []string{strconv.Itoa(int(o.Kind)), keepMillis(res.Retention), o.Codec, string(o.Data)}
	}
	answer, err := s.run(ctx, "resolve", s.resolve, []string{s.key(&k)}, args)
	if err != nil {
		return err
	}
	return settled("resolve", answer, idem.ErrNotHeld)
}

// Prune implements idem.RecordStore. It does nothing: Redis removes by itself what
// has expired (C13).
func (s *Records) Prune(ctx context.Context, _ int) (int, error) {
	if ctx.Err() != nil {
		return 0, &storeError{doing: "prune", kind: ended(ctx), err: errNotSent}
	}
	return 0, nil
}
