package templates

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// text makes a string expression; what stands behind it are its guards.
func (b *builder) text(m *model.Method, expr string, guards ...string) *model.StringExpr {
	p := b.part(m, expr, model.KindString, guards...)
	return &model.StringExpr{Text: p.Text, Expr: p.Expr, Guards: p.Guards}
}

// token gives a method a token from a header.
func (b *builder) token(more ...func(*model.Method)) func(*model.Method) {
	return func(m *model.Method) {
		m.Token = &model.Token{Header: "X-Idempotent-Token", Lease: 30e9}
		for _, f := range more {
			f(m)
		}
	}
}

// lock gives a method a lock on a key; it is the record's where the record has it.
func (b *builder) lock(key string, more ...func(*model.Method)) func(*model.Method) {
	return func(m *model.Method) {
		m.Lock = &model.Lock{Key: []model.Part{b.part(m, key, model.KindString)}, TTL: 30e9, Wait: 5e9}
		o := recordOf(m)
		if m.Lock.SameKey = o != nil && len(o.Key) == 1 && o.Key[0].Text == key; !m.Lock.SameKey {
			m.Lock.Op = m.OpName + "#lock"
		}
		for _, f := range more {
			f(m)
		}
	}
}

// asks makes a look-up: arguments are ctx, tx, or names of parameters.
func (b *builder) asks(m *model.Method, call string) *model.Lookup {
	name, args, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
	l := &model.Lookup{Method: name, Error: true}
	for a := range strings.FieldsFuncSeq(args, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch a {
		case "ctx":
			l.Args = append(l.Args, model.LookupArg{Ctx: true})
		case "tx":
			l.Args = append(l.Args, model.LookupArg{Tx: true})
		default:
			l.Args = append(l.Args, model.LookupArg{Param: paramIndex(m, a)})
		}
	}
	return l
}

// check gives the lock of a method its check.
func (b *builder) check(call string) func(*model.Method) {
	return func(m *model.Method) { m.Lock.Check = b.asks(m, call) }
}

// unique gives a method a unique index.
func (b *builder) unique(index, lookup string, columns ...string) func(*model.Method) {
	return func(m *model.Method) {
		m.Unique = &model.Unique{Index: index, Columns: columns, Lookup: b.asks(m, lookup)}
	}
}

// message makes a method the consumer of messages.
func (b *builder) message(consumer, key string, guards ...string) func(*model.Method) {
	return func(m *model.Method) {
		m.Message = &model.Message{Consumer: consumer, Key: []model.Part{b.part(m, key, model.KindString, guards...)}, TTL: int64(168 * 3600e9)}
		if !m.Tx() {
			m.Message.Lease, m.Message.Orphan = 30e9, model.OrphanRerun
		}
	}
}

// request makes a method a guarded HTTP handler.
func (b *builder) request(more ...func(*model.Method)) func(*model.Method) {
	return func(m *model.Method) {
		m.Request = &model.Request{
			Header: "Idempotency-Key", TTL: int64(300e9), Lease: 30e9,
			Orphan: model.OrphanHold, MaxBody: 1 << 20, MaxResult: 1 << 20,
		}
		m.Results, m.Match = nil, nil
		for _, f := range more {
			f(m)
		}
	}
}
