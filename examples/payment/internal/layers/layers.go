// Package layers shows what each layer of a payment did, and breaks layers on purpose.
//
// The flow: [Watch] gives each request a trace; [Tokens] and [Tx] stand around the stores, the observers [Gate] and [Calls] listen to the engines, and all of them write into the trace what they saw; the response carries it
// in the header [Header]. A layer that is off in [Switches] behaves as if its data had been lost before each call. The generated code and the layers themselves know nothing of this.
package layers

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Layer is one of the five things that keep a second payment out.
type Layer int

// The layers, from the outside in.
const (
	Gate   Layer = iota // the request id, with the stored response
	Token               // the token that was issued for one payment
	Record              // the record of the call, with the stored result
	State               // the order's state machine
	Index               // the unique index of the ledger
	count
)

var names = [count]string{"gate", "token", "record", "state", "index"}

// String is the layer's name in headers and requests.
func (l Layer) String() string { return names[l] }

// All are the layers, from the outside in.
func All() []Layer { return []Layer{Gate, Token, Record, State, Index} }

// Parse finds a layer by its name.
func Parse(name string) (Layer, error) {
	if i := slices.Index(names[:], name); i >= 0 {
		return Layer(i), nil
	}
	return 0, fmt.Errorf("layers: want one of %s, got %q", strings.Join(names[:], ", "), name)
}

// Switches says which layers are on; at first all are. Safe for concurrent use. The switch of Index says only what is shown: whoever turns it creates or drops the index.
type Switches struct{ off [count]atomic.Bool }

// On tells whether a layer is on.
func (s *Switches) On(l Layer) bool { return !s.off[l].Load() }

// Set turns a layer on or off, for calls that begin from now on.
func (s *Switches) Set(l Layer, on bool) { s.off[l].Store(!on) }
