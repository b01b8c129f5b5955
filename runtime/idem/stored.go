package idem

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// errorCodec is the codec name of stored errors; the mark keeps it apart from
// the names of codecs.
const errorCodec = "!error1"

// Codec names of results that no codec made or can read.
const (
	nilCodec    = "!nil"    // the zero value of a pointer, slice or map (C10)
	brokenCodec = "!broken" // the result could not be encoded (C9)
)

// maxErrorText bounds the text of a stored error, in bytes.
const maxErrorText = 4 << 10

// storedError is a stored error: its text and the names of its sentinels.
type storedError struct {
	Text  string   `json:"text"`
	Names []string `json:"names,omitempty"`
	Final bool     `json:"final,omitempty"` // marked by Final
}

// failure makes the outcome that replays as err.
func failure(c *Call, err error) Outcome {
	text := strings.ToValidUTF8(err.Error(), "?")
	stored := storedError{Text: string(cut([]byte(text), maxErrorText))}
	var mark *markedError
	stored.Final = errors.As(err, &mark) && mark.final
	c.sentinels(func(name string, sentinel error) {
		if name != "" && errors.Is(err, sentinel) && !slices.Contains(stored.Names, name) {
			stored.Names = append(stored.Names, name)
		}
	})
	data, jsonErr := json.Marshal(stored)
	if jsonErr != nil { // a struct of strings always has a JSON form
		data = nil
	}
	return Outcome{Kind: Failed, Codec: errorCodec, Data: data}
}

// replayError makes the error of a Failed record.
func (c *Call) replayError(ctx context.Context, o *Outcome) error {
	var stored storedError
	if o.Codec != errorCodec {
		return c.unreadable(ctx, errors.New("stored error of codec "+o.Codec))
	}
	if err := json.Unmarshal(o.Data, &stored); err != nil {
		return c.unreadable(ctx, err)
	}
	e := &ReplayedError{Text: stored.Text, final: stored.Final}
	c.sentinels(func(name string, sentinel error) {
		if slices.Contains(stored.Names, name) {
			e.errs = append(e.errs, sentinel)
		}
	})
	return e
}

// sentinels calls f with every named error of operation and engine, and with
// those of the outcome table.
func (c *Call) sentinels(f func(name string, err error)) {
	for i := range c.op.Errors {
		f(c.op.Errors[i].Name, c.op.Errors[i].Err)
	}
	for _, s := range c.op.Sentinels {
		f(s.Name, s.Err)
	}
	for _, s := range c.engine.sentinels {
		f(s.Name, s.Err)
	}
	for i := range statuses {
		if statuses[i].sentinel != nil {
			f("idem:"+statuses[i].Code, statuses[i].sentinel)
		}
	}
}
