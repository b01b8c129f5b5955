// Package outbox is a mail server of sorts: a file to which each receipt adds a line. Like a mail server it is another system than the database, and takes nothing back.
package outbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/examples/consumer/payment"
)

// often is how many mails there are to one slow one.
const often = 15

// Outbox is a handler.Mailer. Processes may share a file. Safe for concurrent use.
type Outbox struct {
	Path string
	Slow time.Duration // how long one mail in a few takes; 0: no time
	sent atomic.Int64
}

// Mail adds a line with the id of the event. A slow one takes half of its time before that and half after it.
func (o *Outbox) Mail(ctx context.Context, e *payment.Event) error {
	slow := o.Slow > 0 && o.sent.Add(1)%often == 1
	if slow {
		if err := wait(ctx, o.Slow/2); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(o.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	_, err = f.WriteString(e.ID + "\n") // one write: lines of several processes don't mix
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	if slow {
		return wait(ctx, o.Slow/2)
	}
	return nil
}

// wait waits, or until the context ends.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Sent counts the mails by the id of their event.
func (o *Outbox) Sent() (map[string]int, error) {
	sent := map[string]int{}
	f, err := os.Open(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return sent, nil
	}
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		sent[lines.Text()]++
	}
	return sent, lines.Err()
}
