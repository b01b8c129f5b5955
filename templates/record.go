package templates

import (
	"strconv"

	"github.com/idemgen/idemgen/internal/model"
)

// recordOf is the dedupe record of a method: that of once, or of message, which is a
// once whose method has no result; nil for neither.
func recordOf(m *model.Method) *model.Once {
	if m.Message == nil {
		return m.Once
	}
	msg := m.Message
	return &model.Once{
		Pos: msg.Pos, Key: messageKey(msg), TTL: msg.TTL, Lease: msg.Lease,
		Orphan: msg.Orphan, Errors: msg.Errors, FailOpen: msg.FailOpen,
	}
}

// messageKey is the key of a message: one message seen by two consumers is two keys (K3).
func messageKey(msg *model.Message) []model.Part {
	if msg.Consumer == "" {
		return msg.Key
	}
	consumer := model.Part{
		Pos: msg.Pos, Text: "consumer " + msg.Consumer, Kind: model.KindString,
		Expr: model.Text(strconv.Quote(msg.Consumer)),
	}
	return append([]model.Part{consumer}, msg.Key...)
}

// recordLookup is the look-up that answers where the record has no result to give.
func recordLookup(m *model.Method) *model.Lookup {
	if m.Once == nil {
		return nil
	}
	return m.Once.Lookup
}

// recordPart is where the record is kept: in the method's transaction, or by lease.
func (e *emitter) recordPart(m *model.Method) part {
	if m.Tx() {
		return e.txPart(m)
	}
	return e.recordsPart()
}

// calls tells whether the body freezes a call: the key of a record, or a token's.
func calls(m *model.Method) bool { return recordOf(m) != nil || m.Token != nil }
