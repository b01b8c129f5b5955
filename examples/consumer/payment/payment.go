// Package payment is what travels in the queue: an event saying that somebody has paid.
//
// The producer gives each event an id of its own and keeps it when it publishes again: the id is what makes two messages one. A sequence number or offset of the broker can't be that, because a message that was published twice has two.
package payment

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Retention is how long the broker may deliver an event again after it was published, and how long a dead letter is kept. The consumers remember what they handled for longer (ttl= in package handler): a mark that is forgotten before the message is lets a duplicate through.
const Retention = 72 * time.Hour

// Errors that no redelivery can mend.
var (
	// ErrMalformed: the message can't be read.
	ErrMalformed = errors.New("payment: malformed message")
	// ErrInvalid: the event can be read and makes no sense.
	ErrInvalid = errors.New("payment: invalid event")
)

// Event says that somebody has paid.
type Event struct {
	ID      string `json:"id"` // of the event, the same in every copy of it
	Account string `json:"account"`
	Amount  int64  `json:"amount"` // in cents
}

// Encode is the body of the message.
func (e *Event) Encode() ([]byte, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("payment: encode: %w", err)
	}
	return data, nil
}

// Decode reads the body of a message. A missing id is not its business: the key of the consumer is. Error: ErrMalformed.
func Decode(data []byte) (*Event, error) {
	e := new(Event)
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return e, nil
}
