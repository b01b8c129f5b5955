package redisscript

import (
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// cursor reads fields of fixed width; past the end it is broken and reads zeros.
type cursor struct {
	text   string
	broken bool
}

// take reads n bytes.
func (c *cursor) take(n int) string {
	if n > len(c.text) {
		c.text, c.broken = "", true
		return ""
	}
	field := c.text[:n]
	c.text = c.text[n:]
	return field
}

// byte reads one byte.
func (c *cursor) byte() byte {
	if f := c.take(1); f != "" {
		return f[0]
	}
	return 0
}

// digit reads one decimal digit.
func (c *cursor) digit() uint8 {
	b := c.byte()
	if b < '0' || b > '9' {
		c.broken = true
		return 0
	}
	return b - '0'
}

// number reads 16 decimal digits.
func (c *cursor) number() int64 {
	n, err := strconv.ParseInt(c.take(16), 10, 64)
	if err != nil {
		c.broken = true
	}
	return n
}

// left reads the rest of a lease in microseconds.
func (c *cursor) left() time.Duration { return time.Duration(c.number()) * time.Microsecond }

// record reads the value of a record.
func (c *cursor) record(r *idem.Record) {
	if c.byte() != '1' {
		c.broken = true
		return
	}
	kind := idem.OutcomeKind(c.digit())
	r.Orphan = idem.Orphan(c.digit())
	copy(r.Owner[:], c.take(len(r.Owner)))
	r.Fence = c.number()
	c.number() // end of lease
	copy(r.Fingerprint[:], c.take(len(r.Fingerprint)))
	codec, readable := c.byte(), c.byte()
	c.take(int(readable))
	if kind != 0 {
		r.Outcome = idem.Outcome{Kind: kind, Codec: c.take(int(codec)), Data: []byte(c.text)}
	}
}

// claimStatus tells what the letter of an answer means.
func claimStatus(letter byte) idem.ClaimStatus {
	switch letter {
	case 'F':
		return idem.Fresh
	case 'R':
		return idem.Running
	case 'D':
		return idem.Done
	case 'H':
		return idem.Held
	}
	return 0
}

// parseFound reads the answer to a claim or a look-up.
func parseFound(doing, answer string) (idem.Found, error) {
	if answer == "A" {
		return idem.Found{Status: idem.Absent}, nil
	}
	c := cursor{text: answer}
	f := idem.Found{Status: claimStatus(c.byte())}
	f.Record.LeaseLeft = c.left()
	c.record(&f.Record)
	if f.Status == 0 || c.broken {
		return idem.Found{}, errAnswer(doing, answer)
	}
	return f, nil
}

// tokenStatus tells what the letter of an answer means, and whether the consumption
// follows.
func tokenStatus(letter byte) (status idem.TokenStatus, follows bool) {
	switch letter {
	case 'C':
		return idem.TokenConsumed, true
	case 'R':
		return idem.TokenRunning, true
	case 'H':
		return idem.TokenHeld, true
	case 'F':
		return idem.TokenFinished, true
	case 'B':
		return idem.TokenBurned, true
	case 'E':
		return idem.TokenExpired, false
	case 'U':
		return idem.TokenUnknown, false
	case 'M':
		return idem.TokenMismatch, false
	}
	return 0, false
}

// parseToken reads the answer to a consumption.
func parseToken(answer string) (idem.TokenFound, error) {
	c := cursor{text: answer}
	var f idem.TokenFound
	var follows bool
	f.Status, follows = tokenStatus(c.byte())
	if follows {
		f.LeaseLeft = c.left()
		copy(f.Owner[:], c.take(len(f.Owner)))
		f.Fence = c.number()
		c.number() // end of lease
		copy(f.KeyHash[:], c.take(len(f.KeyHash)))
		copy(f.Fingerprint[:], c.take(len(f.Fingerprint)))
	}
	if f.Status == 0 || c.broken {
		return idem.TokenFound{}, errAnswer("consume", answer)
	}
	return f, nil
}

// parseLock reads the answer to an acquisition that asked for a time.
func parseLock(answer string, ttl time.Duration) (idem.LockFound, error) {
	c := cursor{text: answer}
	var f idem.LockFound
	switch c.byte() {
	case 'A':
		f.Status, f.Fence, f.Left = idem.LockAcquired, c.number(), ttl
	case 'H':
		f.Status, f.Fence = idem.LockAcquired, c.number()
		f.Left = min(time.Duration(c.number())*time.Millisecond, ttl)
	case 'B':
		f.Status, f.Left = idem.LockBusy, time.Duration(c.number())*time.Millisecond
	case 'N':
		f.Status = idem.LockNeedless
		c.record(&f.Record)
	}
	if f.Status == 0 || c.broken {
		return idem.LockFound{}, errAnswer("acquire", answer)
	}
	return f, nil
}
