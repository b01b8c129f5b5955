package check

import (
	"time"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// defaultLease is the lease of lease mode without lease=.
const defaultLease = 30 * time.Second

// onceLayer checks //idem:once and builds its layer.
func (m *method) onceLayer() {
	args := m.g.once
	if args == nil {
		return
	}
	o := &model.Once{
		Pos: m.g.oncePos, TTL: int64(args.TTL.V), Wait: int64(args.Wait.V), MaxResult: int64(args.MaxResult.V),
		NoResult: args.Result.Set, FailOpen: args.OnOutage.V == "open",
	}
	m.model.Once = o
	m.recordKey, o.Key = m.keyParts(args.Key)
	record := recordArgs{"once", m.g.oncePos, &args.Lease, &args.Orphan, &args.OnOutage}
	o.Lease, o.Orphan = m.mode(record)
	m.scopeArg(args)
	m.match(args.Match)
	o.Errors = m.errorRules(args.Errors)
	m.resultArgs(args, o)
	if args.Lookup.Set {
		o.Lookup = m.lookup(args.Lookup, m.recordKey)
	}
}

// keyParts checks key= of a layer.
func (m *method) keyParts(key directive.List[directive.Expr]) (parts []part, out []model.Part) {
	for _, e := range key.Elems {
		if p, ok := m.expr.keyPart(e); ok {
			parts = append(parts, p)
			out = append(out, p.Part)
		}
	}
	return parts, out
}

// recordArgs are what the layers that keep a record, once and message, are asked alike.
type recordArgs struct {
	name     string // of the directive
	pos      model.Pos
	lease    *directive.Val[time.Duration]
	orphan   *directive.Val[string]
	onOutage *directive.Val[string]
}

// mode settles what only lease mode or only transaction mode has (C17).
func (m *method) mode(args recordArgs) (lease int64, orphan model.Orphan) {
	if m.txFaulty {
		return 0, model.OrphanNone
	}
	if !m.model.Tx() {
		lease = int64(args.lease.V)
		if !args.lease.Set {
			lease = int64(defaultLease)
		}
		orphan = orphanOf(args.orphan.V)
		if orphan == model.OrphanNone {
			if !m.g.faulty {
				m.fail(diag.New(diag.CodeOrphanMissing, args.pos, "%s takes no transaction, so //idem:%s needs orphan=", m.title, args.name).
					WithHint("what shall a retry do when the first caller vanished in the middle? orphan=rerun runs %s again after the lease; orphan=hold answers \"outcome unknown\" until somebody resolves it", m.model.Name))
			}
		}
		return lease, orphan
	}
	where := "its claim commits or rolls back with the transaction"
	if args.orphan.Set {
		m.fail(diag.New(diag.CodeOrphanRefused, args.orphan.KeyPos, "orphan= has no meaning in transaction mode: %s", where).WithHint("remove it"))
	}
	if args.lease.Set {
		m.fail(diag.New(diag.CodeLeaseRefused, args.lease.KeyPos, "lease= has no meaning in transaction mode: %s", where).WithHint("remove it"))
	}
	if args.onOutage.V == "open" {
		m.fail(diag.New(diag.CodeArgumentNeedsOther, args.onOutage.KeyPos, "onoutage=open has no meaning in transaction mode: the record lives in the database that %s itself needs", m.title).
			WithHint("remove it"))
	}
	return 0, model.OrphanNone
}

// orphanOf is the policy of orphan=; OrphanNone where none is given.
func orphanOf(text string) model.Orphan {
	switch text {
	case "rerun":
		return model.OrphanRerun
	case "hold":
		return model.OrphanHold
	}
	return model.OrphanNone
}

// scopeArg checks scope=: a string, with what must not be nil on the way.
func (m *method) scopeArg(args *directive.Once) {
	if !args.Scope.Set {
		return
	}
	e := args.Scope.V
	p, ok := m.expr.part(e)
	if !ok {
		return
	}
	if p.Kind != model.KindString {
		m.fail(diag.New(diag.CodeScopeType, e.Pos, "scope %s is %s, not a string", e.Text, m.typeText(p.typ)))
		return
	}
	m.model.Scope, m.model.ScopeGuards, m.model.ScopeText = p.stringCode(), p.Guards, e.Text
}

// wrapCode puts text around code.
func wrapCode(before string, c model.Code, after string) model.Code {
	out := model.Code{{Kind: model.TokText, Text: before}}
	out = append(out, c...)
	if after != "" {
		out = append(out, model.Tok{Kind: model.TokText, Text: after})
	}
	return out
}

// match settles what the fingerprint covers: what match= names, nothing for
// match=none, else every parameter that has a value two calls could share.
func (m *method) match(arg directive.List[directive.Name]) {
	if arg.None() {
		return
	}
	if !arg.Set {
		m.model.Match = []model.Part{}
		for i := range m.model.Params {
			if m.noFingerprint(i) == "" && !m.isToken(i) {
				m.model.Match = append(m.model.Match, m.matchPart(i, m.model.Params[i].Pos))
			}
		}
		if len(m.model.Match) == 0 {
			m.model.Match = nil
		}
		return
	}
	for _, name := range arg.Elems {
		i := m.param(name.Text)
		if i < 0 {
			m.fail(diag.New(diag.CodeMatchUnknown, name.Pos, "%s has no parameter %q", m.title, name.Text).WithSuggestion(name.Text, m.paramNames()))
			continue
		}
		if why := m.noFingerprint(i); why != "" {
			m.fail(diag.New(diag.CodeMatchType, name.Pos, "%s is %s: the fingerprint can't cover it", name.Text, why))
			continue
		}
		m.model.Match = append(m.model.Match, m.matchPart(i, name.Pos))
	}
}

// noFingerprint says why a parameter has no fingerprint, or "".
func (m *method) noFingerprint(i int) string {
	switch m.model.Params[i].Kind {
	case model.KindContext:
		return "a context"
	case model.KindFunc:
		return "a function or channel"
	}
	if i == m.model.TxParam || i < m.sig.Params().Len() && isTx(m.sig.Params().At(i).Type()) {
		return "a transaction"
	}
	return ""
}

func (m *method) matchPart(i int, pos model.Pos) model.Part {
	return model.Part{
		Pos: pos, Text: m.paramText(i), Kind: m.model.Params[i].Kind,
		Expr: model.Code{{Kind: model.TokParam, Text: m.model.Params[i].Name, Index: i}},
	}
}

// operation settles the operation's name, unique in a run (K3).
func (m *method) operation() {
	owner := ""
	if m.svc != nil {
		owner = m.svc.model.Name + "."
	}
	m.model.OpName = m.p.Path + "." + owner + m.model.Name
	at := m.g.pos
	named := m.naming()
	if len(named) == 0 && m.g.request == nil {
		return // no key of this operation is ever stored
	}
	for i, n := range named {
		switch {
		case i == 0:
			if at = n.pos; n.op.Set {
				m.model.OpName, at = n.op.V, n.op.Pos
			}
		case n.op.Set:
			m.fail(diag.New(diag.CodeContradiction, n.op.KeyPos, "op= of //idem:%s has no effect beside //idem:%s, which names the operation", n.layer, named[0].layer).
				WithRelated(named[0].pos, "//idem:%s is here", named[0].layer).WithHint("write op= there"))
		}
	}
	m.takeOperation(m.model.OpName, at)
}

// naming are the layers of the method that may name its operation, the one that does
// first: the record's, else the token's, else the lock's.
func (m *method) naming() (out []namer) {
	g := m.g
	if g.once != nil {
		out = append(out, namer{"once", g.oncePos, g.once.Op})
	}
	if g.message != nil {
		out = append(out, namer{"message", g.messagePos, g.message.Op})
	}
	if g.token != nil {
		out = append(out, namer{"token", g.tokenPos, g.token.Op})
	}
	if g.lock != nil {
		out = append(out, namer{"lock", g.lockPos, g.lock.Op})
	}
	return out
}

// namer is a layer that has op=.
type namer struct {
	layer string
	pos   model.Pos
	op    directive.Val[string]
}

// takeOperation gives an operation name away, once in a run.
func (m *method) takeOperation(name string, at model.Pos) {
	if first, twice := m.ops[name]; twice {
		m.fail(diag.New(diag.CodeDuplicateOperation, at, "operation %q is used twice", name).
			WithRelated(first, "it is used here first").WithHint("two methods that share one operation would answer each other's duplicates: give one another op="))
		return
	}
	m.ops[name] = at
}
