package check

import (
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// messageLayer checks //idem:message and builds its layer.
func (m *method) messageLayer() {
	args := m.g.message
	if args == nil {
		return
	}
	x := &model.Message{
		Pos: m.g.messagePos, Consumer: args.Consumer.V, TTL: int64(args.TTL.V), FailOpen: args.OnOutage.V == "open",
	}
	m.model.Message = x
	if len(m.model.Results) > 0 {
		m.fail(diag.New(diag.CodeMessageResult, m.model.Results[0].Pos, "%s has results beside its error, but a redelivered message gets none", m.title).
			WithHint("let it return error alone, or use //idem:once, which stores the result"))
	}
	m.recordKey, x.Key = m.keyParts(args.Key)
	x.Lease, x.Orphan = m.mode(recordArgs{"message", m.g.messagePos, &args.Lease, &args.Orphan, &args.OnOutage})
	if args.Match.Set {
		// Not by default: what a broker hands over with a message (redelivery flags,
		// tags, offsets) differs from delivery to delivery.
		m.match(args.Match)
	}
	x.Errors = m.errorRules(args.Errors)
}
