package check

import (
	"go/types"
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
	var parts []part
	for _, e := range args.Key.Elems {
		if p, ok := m.expr.keyPart(e); ok {
			parts = append(parts, p)
			o.Key = append(o.Key, p.Part)
		}
	}
	m.mode(args, o)
	m.scopeArg(args)
	m.match(args)
	m.errorRules(args, o)
	m.resultArgs(args, o)
	if args.Lookup.Set {
		o.Lookup = m.lookup(args.Lookup, parts)
	}
}

// mode settles what only lease mode or only transaction mode has (C17).
func (m *method) mode(args *directive.Once, o *model.Once) {
	if m.txFaulty {
		return
	}
	if !m.model.Tx() {
		o.Lease = int64(args.Lease.V)
		if !args.Lease.Set {
			o.Lease = int64(defaultLease)
		}
		switch args.Orphan.V {
		case "rerun":
			o.Orphan = model.OrphanRerun
		case "hold":
			o.Orphan = model.OrphanHold
		default:
			if !m.g.faulty {
				m.fail(diag.New(diag.CodeOrphanMissing, m.g.oncePos, "%s takes no transaction, so //idem:once needs orphan=", m.title).
					WithHint("what shall a retry do when the first caller vanished in the middle? orphan=rerun runs %s again after the lease; orphan=hold answers \"outcome unknown\" until somebody resolves it", m.model.Name))
			}
		}
		return
	}
	where := "its claim commits or rolls back with the transaction"
	if args.Orphan.Set {
		m.fail(diag.New(diag.CodeOrphanRefused, args.Orphan.KeyPos, "orphan= has no meaning in transaction mode: %s", where).WithHint("remove it"))
	}
	if args.Lease.Set {
		m.fail(diag.New(diag.CodeLeaseRefused, args.Lease.KeyPos, "lease= has no meaning in transaction mode: %s", where).WithHint("remove it"))
	}
	if args.OnOutage.V == "open" {
		m.fail(diag.New(diag.CodeArgumentNeedsOther, args.OnOutage.KeyPos, "onoutage=open has no meaning in transaction mode: the record lives in the database that %s itself needs", m.title).
			WithHint("remove it"))
	}
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
	code := p.Expr
	if p.Deref {
		code = wrapCode("*", code, "")
	}
	if !types.Identical(p.typ, types.Typ[types.String]) {
		code = wrapCode("string(", code, ")")
	}
	m.model.Scope, m.model.ScopeGuards, m.model.ScopeText = code, p.Guards, e.Text
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
func (m *method) match(args *directive.Once) {
	if args.Match.None() {
		return
	}
	if !args.Match.Set {
		m.model.Match = []model.Part{}
		for i := range m.model.Params {
			if m.noFingerprint(i) == "" {
				m.model.Match = append(m.model.Match, m.matchPart(i, m.model.Params[i].Pos))
			}
		}
		if len(m.model.Match) == 0 {
			m.model.Match = nil
		}
		return
	}
	for _, name := range args.Match.Elems {
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
	if m.g.once == nil {
		return
	}
	at := m.g.oncePos
	if op := m.g.once.Op; op.Set {
		m.model.OpName, at = op.V, op.Pos
	}
	if first, twice := m.ops[m.model.OpName]; twice {
		m.fail(diag.New(diag.CodeDuplicateOperation, at, "operation %q is used twice", m.model.OpName).
			WithRelated(first, "it is used here first").WithHint("two methods that share one operation would answer each other's duplicates: give one another op="))
		return
	}
	m.ops[m.model.OpName] = at
}
