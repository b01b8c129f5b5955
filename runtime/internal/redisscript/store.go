package redisscript

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// DefaultPrefix is what all keys begin with, unless another prefix is given.
const DefaultPrefix = "idem:"

// Config is how a store is made.
type Config struct {
	// Prefix is what all keys begin with; it has no braces.
	Prefix string
	// Warn hears what is wrong with a server, in place of a refusal; nil = refuse.
	Warn func(error)
	// Unchecked asks the server nothing.
	Unchecked bool
}

// Store is what a Redis keeps.
type Store struct {
	Records *Records
	Tokens  *Tokens
	Locks   *Locks
}

// Open makes a store after it has checked the server. Errors: of the configuration,
// ErrMayEvict, ErrPolicyUnknown, ErrNumbers, idem.ErrStoreUnavailable.
func Open(ctx context.Context, client Client, c Config) (*Store, error) {
	if strings.ContainsAny(c.Prefix, "{}") {
		return nil, errors.New("idem: redis: a prefix has no braces: they would decide the cluster slot of every key")
	}
	if !c.Unchecked {
		if err := check(ctx, client); err != nil {
			if c.Warn == nil || errors.Is(err, ErrNumbers) {
				return nil, err
			}
			c.Warn(err)
		}
	}
	r := &runner{client}
	return &Store{Records: newRecords(r, c.Prefix), Tokens: newTokens(r, c.Prefix), Locks: newLocks(r, c.Prefix)}, nil
}

// runner sends scripts.
type runner struct{ client Client }

// run sends a script and returns its answer. On a server that doesn't know it the
// text is sent too, which is a second round trip.
func (r *runner) run(ctx context.Context, doing string, s *Script, keys, args []string) (string, error) {
	if ctx.Err() != nil {
		return "", &storeError{doing: doing, kind: ended(ctx), err: errNotSent}
	}
	request := Request{Script: s, Keys: keys, Args: args}
	answer, err := r.client.Eval(ctx, &request, false)
	if err != nil && noScript(err) {
		answer, err = r.client.Eval(ctx, &request, true)
	}
	if err != nil {
		return "", fault(ctx, doing, err)
	}
	return answer, nil
}

var errNotSent = errors.New("nothing was sent")

// runAll sends several requests in a pipeline; those that the server doesn't know
// the script of are sent once more with its text.
func (r *runner) runAll(ctx context.Context, doing string, rs []Request) error {
	if ctx.Err() != nil {
		return &storeError{doing: doing, kind: ended(ctx), err: errNotSent}
	}
	for _, whole := range []bool{false, true} {
		var again []Request
		for i, err := range r.client.EvalAll(ctx, rs, whole) {
			switch {
			case err == nil:
			case !whole && noScript(err):
				again = append(again, rs[i])
			default:
				return fault(ctx, doing, err)
			}
		}
		if rs = again; len(rs) == 0 {
			break
		}
	}
	return nil
}

// settled is the error of an answer that says only whether a hold still stood.
func settled(doing, answer string, lost error) error {
	switch answer {
	case "O":
		return nil
	case "L":
		return lost
	}
	return errAnswer(doing, answer)
}

// keyName makes a storage key. The hash in braces is its hash tag; base64 has none.
func keyName(prefix string, hash *[32]byte) string {
	b := make([]byte, 0, 64)
	b = append(b, prefix...)
	b = append(b, '{')
	b = base64.RawURLEncoding.AppendEncode(b, hash[:])
	return string(append(b, '}'))
}

// longest bounds every time, so that sums of times stay exact in Lua's numbers.
const longest = 100 * 365 * 24 * time.Hour

// micros is a time in microseconds, rounded up, at least 1.
func micros(d time.Duration) string {
	d = min(d, longest)
	return strconv.FormatInt(int64(max((d+time.Microsecond-1)/time.Microsecond, 1)), 10)
}

// never is a number of microseconds that no other time reaches; the scripts know it.
const never = "9000000000000000"

// keepMicros is a time of which idem.Never is for ever.
func keepMicros(d time.Duration) string {
	if d < 0 {
		return never
	}
	return micros(d)
}

// keepMillis is an expiry in milliseconds, rounded up, at least 1, since Redis
// takes no 0; "" = for ever.
func keepMillis(d time.Duration) string {
	if d < 0 {
		return ""
	}
	d = min(d, 2*longest)
	return strconv.FormatInt(int64(max((d+time.Millisecond-1)/time.Millisecond, 1)), 10)
}

// appendFence appends a fence as values have it: 16 digits.
func appendFence(b []byte, fence int64) []byte {
	if fence < 0 {
		return append(b, '-') // no value has it
	}
	var digits [20]byte
	d := strconv.AppendInt(digits[:0], fence, 10)
	for range 16 - len(d) {
		b = append(b, '0')
	}
	return append(b, d...)
}

// holdArg is owner and fence as one argument.
func holdArg(o *idem.Owner, fence int64) string {
	var b [40]byte
	return string(appendFence(append(b[:0], o[:]...), fence))
}

// fenceArg is a fence of its own; "" = any.
func fenceArg(fence int64) string {
	if fence == 0 {
		return ""
	}
	var b [20]byte
	return string(appendFence(b[:0], fence))
}
