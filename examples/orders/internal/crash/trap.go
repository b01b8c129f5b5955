// Package crash stops a process at a named point of a call, so that it can be killed there.
//
// The flow: a request carries the header [Header], naming a [Point]; [Trap.Handler] puts it into the context; the decorators [Tx], [Trap.Handler] and [Trap.Transport] stand at the points, around business code that
// knows nothing of them. The call that reaches its point reports it on the trap's pipe and goes no further: whoever reads the other end kills the process.
package crash

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Header names the point at which the call that carries it shall stop. It is honoured only by a process that was given a Trap.
const Header = "X-Crash-At"

// Point is a moment in the life of a call.
type Point string

// The points, in the order in which a call passes them.
const (
	Claimed    Point = "claimed"     // transaction mode: the key is claimed, the business has not run
	Written    Point = "written"     // transaction mode: the business has written, nothing is committed
	BankBefore Point = "bank-before" // lease mode: the key is claimed, the bank was not reached
	BankAfter  Point = "bank-after"  // lease mode: the bank has answered, nothing is stored
	Committed  Point = "committed"   // everything is stored, the caller has no reply
)

// patience is how long a stopped call waits for its death before it ends the process itself: nobody is there to kill it.
const patience = 20 * time.Second

// Trap reports calls that reached their point. A nil Trap lets everything pass. Safe for concurrent use.
type Trap struct {
	report io.Writer
}

// New makes a trap that reports to w, one line per call: the point.
func New(w io.Writer) *Trap { return &Trap{report: w} }

type armedKey struct{}

// At stops the call for good when it is armed for this point.
func (t *Trap) At(ctx context.Context, p Point) {
	if t == nil || ctx.Value(armedKey{}) != p {
		return
	}
	if _, err := fmt.Fprintln(t.report, p); err == nil {
		time.Sleep(patience)
	}
	os.Exit(3)
}

// Handler arms requests that carry the header, and is itself the point Committed: a reply passes it before its first byte is written.
func (t *Trap) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := Point(r.Header.Get(Header)); p != "" {
			ctx := context.WithValue(r.Context(), armedKey{}, p)
			r = r.WithContext(ctx)
			w = &gate{ResponseWriter: w, pass: func() { t.At(ctx, Committed) }}
		}
		next.ServeHTTP(w, r)
	})
}

// gate calls pass before the first byte of a successful reply leaves.
type gate struct {
	http.ResponseWriter
	pass func()
}

func (g *gate) WriteHeader(status int) {
	if status < 300 {
		g.pass()
	}
	g.ResponseWriter.WriteHeader(status)
}
