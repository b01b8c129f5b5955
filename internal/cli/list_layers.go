package cli

import (
	"cmp"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/model"
)

// The modes of an operation.
const (
	modeTransaction = "transaction" // the record is written in the method's transaction
	modeLease       = "lease"       // the method takes none, and one call at a time holds its key
	modeAutocommit  = "autocommit"  // the method takes none, and an index alone decides
	modeHTTP        = "http"        // a handler
)

// listedLayer is one layer with what it says of itself, as the doc comments of
// generated wrappers name it.
type listedLayer struct {
	Layer string `json:"layer"`
	Says  string `json:"says"` // key orderID, lease 30s, orphan rerun
}

func (l listedLayer) String() string { return l.Layer + " (" + l.Says + ")" }

// listedPart is a parameter of the constructor behind the wrapped value.
type listedPart struct {
	Part string `json:"part"` // engine, records, tx, tokens, locks or violation
	Type string `json:"type"`
}

func (p listedPart) String() string { return p.Part + " " + p.Type }

// layerTable is the layers outermost first, as the emitter stacks them; says is ""
// where a method does not have the layer. (The emitter's own table builds code and
// is not for other packages; a test compares partTable with generated constructors.)
var layerTable = [...]struct {
	name string
	says func(m *model.Method) string
}{
	{"request", saysRequest},
	{"token", saysToken},
	{"lock", saysLock},
	{"once", saysOnce},
	{"message", saysMessage},
	{"fire", saysFire},
	{"unique", saysUnique},
}

// partTable is what constructors take, in the order of their parameters; typ is ""
// where a method does not need the part.
var partTable = [...]struct {
	name string
	typ  func(m *model.Method) string
}{
	{"engine", func(*model.Method) string { return "*idem.Engine" }},
	{"records", func(m *model.Method) string {
		return when(m.Request != nil || recorded(m) && !m.Tx(), "idem.RecordStore")
	}},
	{"tx", func(m *model.Method) string { return when(m.Tx(), "idem.TxStore["+txType(m)+"]") }},
	{"tokens", func(m *model.Method) string { return when(m.Token != nil, "idem.TokenStore") }},
	{"locks", func(m *model.Method) string { return when(m.Lock != nil, "idem.Locker") }},
	{"violation", func(m *model.Method) string { return when(m.Unique != nil, "idem.Violation") }},
}

func when(on bool, s string) string {
	if on {
		return s
	}
	return ""
}

func recorded(m *model.Method) bool { return m.Once != nil || m.Message != nil }

func operation(at place, name string, m *model.Method) listedOperation {
	o := listedOperation{place: at, Name: name, Operation: m.OpName, Mode: modeAutocommit, Layers: []listedLayer{}}
	switch {
	case m.Request != nil:
		o.Mode = modeHTTP
	case m.Tx():
		o.Mode = modeTransaction
	case recorded(m) || m.Token != nil || m.Lock != nil:
		o.Mode = modeLease
	}
	for _, row := range layerTable {
		if says := row.says(m); says != "" {
			o.Layers = append(o.Layers, listedLayer{row.name, says})
		}
	}
	for _, row := range partTable {
		if typ := row.typ(m); typ != "" {
			o.Needs = append(o.Needs, listedPart{row.name, typ})
		}
	}
	return o
}

// txType is the type of a method's transaction, as its package writes it.
func txType(m *model.Method) string {
	if m.TxParam < 0 {
		return "struct{}"
	}
	return codeText(m.Params[m.TxParam].Type)
}

func codeText(c model.Code) string {
	var b strings.Builder
	for _, t := range c {
		if t.Kind == model.TokQual {
			b.WriteString(cmp.Or(t.Import.Alias, t.Import.Name) + ".")
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

func saysRequest(m *model.Method) string {
	if m.Request == nil {
		return ""
	}
	return "header " + m.Request.Header + ", ttl " + span(m.Request.TTL) + leaseText(m.Request.Lease, m.Request.Orphan)
}

func saysToken(m *model.Method) string {
	t := m.Token
	if t == nil {
		return ""
	}
	says := "header " + t.Header
	if t.Value != nil {
		says = "value " + t.Value.Text
	}
	if t.Bind != nil {
		says += ", bound to " + t.Bind.Text
	}
	return says
}

func saysLock(m *model.Method) string {
	if m.Lock == nil {
		return ""
	}
	says := "key " + keyText(m.Lock.Key)
	if m.Lock.Check != nil {
		says += ", check " + m.Lock.Check.Method
	}
	return says + ", ttl " + span(m.Lock.TTL)
}

func saysOnce(m *model.Method) string {
	o := m.Once
	if o == nil {
		return ""
	}
	return "key " + keyText(o.Key) + scopeText(m) + ", ttl " + span(o.TTL) + leaseText(o.Lease, o.Orphan)
}

func saysMessage(m *model.Method) string {
	msg := m.Message
	if msg == nil {
		return ""
	}
	says := "key " + keyText(msg.Key)
	if msg.Consumer != "" {
		says += ", consumer " + msg.Consumer
	}
	return says + scopeText(m) + ", ttl " + span(msg.TTL) + leaseText(msg.Lease, msg.Orphan)
}

func saysFire(m *model.Method) string {
	if m.Fire == nil {
		return ""
	}
	return m.Fire.Machine.Name + "." + m.Fire.Event.Name + ", key " + m.Fire.Key.Text
}

func saysUnique(m *model.Method) string {
	u := m.Unique
	if u == nil {
		return ""
	}
	if len(u.Columns) == 0 {
		return "index " + u.Index
	}
	return "index " + u.Index + " on " + strings.Join(u.Columns, ", ")
}

func scopeText(m *model.Method) string { return when(m.Scope != nil, ", scope "+m.ScopeText) }

func leaseText(lease int64, orphan model.Orphan) string {
	words := map[model.Orphan]string{model.OrphanRerun: "rerun", model.OrphanHold: "hold"}
	return when(words[orphan] != "", ", lease "+span(lease)+", orphan "+words[orphan])
}

func keyText(key []model.Part) string {
	var out []string
	for _, p := range key {
		out = append(out, p.Text)
	}
	return strings.Join(out, ", ")
}

// span writes nanoseconds as a directive does: 24h, 30s, never.
func span(ns int64) string {
	if ns == model.Never {
		return "never"
	}
	s := time.Duration(ns).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
