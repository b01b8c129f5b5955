package parser

import (
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/model"
)

func stringExpr(what string, e *model.StringExpr) string {
	if e == nil {
		return ""
	}
	return " " + what + " " + strings.TrimPrefix(part(model.Part{Expr: e.Expr, Guards: e.Guards}), "other ")
}

// outerLayers shows the layers around the record, and the message.
func (d *dumper) outerLayers(m *model.Method) {
	if r := m.Request; r != nil {
		d.line(2, "request %s ttl=%v lease=%v wait=%v orphan=%d maxbody=%d maxresult=%d required=%v methods=%v%s", r.Header, time.Duration(r.TTL), time.Duration(r.Lease),
			time.Duration(r.Wait), r.Orphan, r.MaxBody, r.MaxResult, r.Required, r.Methods, stringExpr("principal", r.Principal))
	}
	if t := m.Token; t != nil {
		d.line(2, "token %s burn=%v lease=%v keep=%v alone=%v%s%s", t.Header, t.Burn, time.Duration(t.Lease), time.Duration(t.Keep), t.Alone,
			stringExpr("value", t.Value), stringExpr("bind", t.Bind))
	}
	if l := m.Lock; l != nil {
		d.line(2, "lock ttl=%v wait=%v alone=%v same=%v op=%s", time.Duration(l.TTL), time.Duration(l.Wait), l.Alone, l.SameKey, l.Op)
		for _, p := range l.Key {
			d.line(3, "key %s: %s", p.Text, part(p))
		}
		if l.Check != nil {
			d.line(3, "check %s", lookup(l.Check))
		}
	}
	if x := m.Message; x != nil {
		d.line(2, "message %s ttl=%v lease=%v orphan=%d open=%v", x.Consumer, time.Duration(x.TTL), time.Duration(x.Lease), x.Orphan, x.FailOpen)
		for _, p := range x.Key {
			d.line(3, "key %s: %s", p.Text, part(p))
		}
		for _, r := range x.Errors {
			d.line(3, "error %s %s: %s", r.Do, r.Name, code(r.Expr))
		}
	}
}

// innerLayers shows what stands inside the record.
func (d *dumper) innerLayers(m *model.Method) {
	if u := m.Unique; u != nil {
		d.line(2, "unique %s (%s) lookup %s", u.Index, strings.Join(u.Columns, ", "), lookup(u.Lookup))
	}
}
