package check

import (
	"time"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// tokenLayer checks //idem:token and builds its layer. The layers inside are known.
func (m *method) tokenLayer() {
	args := m.g.token
	if args == nil {
		return
	}
	t := &model.Token{
		Pos: m.g.tokenPos, Burn: args.OnFail.V == "burn", Lease: int64(args.Lease.V), Keep: int64(args.Keep.V), Alone: args.Alone.Set,
	}
	m.model.Token = t
	switch {
	case args.Token.Set:
		t.Value = m.stringExpr("token=", args.Token.V)
	case !m.g.faulty:
		t.Header = args.Header.V
		m.tokenContext(args)
	}
	if args.Bind.Set {
		t.Bind = m.stringExpr("bind=", args.Bind.V)
	}
	m.tokenMatch(args)
	m.tokenKeep(args)
	m.tokenLease(args)
	m.alone("token", m.g.tokenPos, args.Alone)
}

// isToken tells whether a parameter is the token itself, which says nothing about the
// intention: a retry may come with another.
func (m *method) isToken(i int) bool {
	t := m.g.token
	return t != nil && t.Token.Set && t.Token.V.Text == m.paramText(i)
}

// tokenMatch settles what a used token was used for, where no record knows (X5).
func (m *method) tokenMatch(args *directive.Token) {
	switch record := m.naming()[0]; {
	case record.layer == "token":
		m.match(args.Match)
	case args.Match.Set:
		m.fail(diag.New(diag.CodeContradiction, args.Match.KeyPos, "match= of //idem:token has no effect beside //idem:%s, which says what is compared", record.layer).
			WithRelated(record.pos, "//idem:%s is here", record.layer).WithHint("write match= there"))
	}
}

// tokenContext asks for the context that leads to a header.
func (m *method) tokenContext(args *directive.Token) {
	if m.model.CtxParam >= 0 || m.model.CtxExpr != nil || m.g.ctxArg().Set {
		return
	}
	at := m.g.tokenPos
	if args.Header.Set {
		at = args.Header.KeyPos
	}
	m.fail(diag.New(diag.CodeTokenNoContext, at, "%s has no context, which the header %s would come in", m.title, args.Header.V).
		WithHint("take a context.Context, or say with token=… which argument is the token"))
}

// tokenKeep refuses to forget a used token before the record of its call (X2).
func (m *method) tokenKeep(args *directive.Token) {
	var ttl directive.Val[directive.Retention]
	name := ""
	switch {
	case m.g.once != nil:
		ttl, name = m.g.once.TTL, "once"
	case m.g.message != nil:
		ttl, name = m.g.message.TTL, "message"
	}
	keep := args.Keep.V
	if !args.Keep.Set || name == "" || keep == directive.Never || ttl.V != directive.Never && keep >= ttl.V {
		return
	}
	at := ttl.KeyPos
	if !ttl.Set {
		at = m.g.layerPos(name)
	}
	m.fail(diag.New(diag.CodeTokenTimes, args.Keep.Pos, "the token is forgotten after %v, before the record of //idem:%s is", time.Duration(keep), name).
		WithRelated(at, "the record is kept %s", retentionText(ttl.V)).WithHint("leave keep= out: it is the ttl= of the record then"))
}

func retentionText(r directive.Retention) string {
	if r == directive.Never {
		return "for ever"
	}
	return time.Duration(r).String()
}

// tokenLease refuses a consumption that ends while the call still waits inside.
func (m *method) tokenLease(args *directive.Token) {
	waits, last := time.Duration(0), ""
	if m.g.lock != nil && m.g.lock.Wait.V > 0 {
		waits, last = m.g.lock.Wait.V, "lock"
	}
	if m.g.once != nil && m.g.once.Wait.V > 0 {
		waits, last = waits+m.g.once.Wait.V, "once"
	}
	if waits == 0 || args.Lease.V > waits {
		return
	}
	at := m.g.tokenPos
	if args.Lease.Set {
		at = args.Lease.Pos
	}
	m.fail(diag.New(diag.CodeTokenTimes, at, "the token's lease of %v is over before the layers inside have waited for %v", args.Lease.V, waits).
		WithRelated(m.g.layerPos(last), "//idem:%s waits here", last).WithHint("give the token a longer lease=: it must outlast the waits and the method"))
}

// layerPos is where a layer of the group stands.
func (g *group) layerPos(name string) model.Pos {
	for _, l := range g.layers() {
		if l.name == name {
			return l.pos
		}
	}
	return g.pos
}
