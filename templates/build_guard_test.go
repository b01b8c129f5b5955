package templates

import (
	"go/parser"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// sqlParams makes parameters of "tenant:int64"; a bare name is a string.
func (b *builder) sqlParams(base []model.SQLParam, list ...string) []model.SQLParam {
	b.t.Helper()
	out := slices.Clone(base)
	for _, text := range list {
		name, typ, ok := strings.Cut(text, ":")
		if !ok {
			typ = "string"
		}
		e, err := parser.ParseExpr(typ)
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, model.SQLParam{Name: name, Type: b.code(e, nil), Kind: kindOf(e)})
	}
	return out
}

var fragTokens = regexp.MustCompile("'(?:[^']|'')*'|`[^`]+`|:[A-Za-z][A-Za-z0-9._]*|[0-9]+|[A-Za-z_][A-Za-z0-9_]*|\\s+|<>|[<>!]=|.")

// frag reads SQL: :name is one of the parameters, :Name=3 a constant with its value.
func (b *builder) frag(text string, params []model.SQLParam, consts map[string]string) model.Frag {
	b.t.Helper()
	var f model.Frag
	for _, tok := range fragTokens.FindAllString(text, -1) {
		switch c := tok[0]; {
		case strings.TrimSpace(tok) == "":
			f = append(f, model.FragToken{Kind: model.FragSpace, Text: " "})
		case c == '\'':
			f = append(f, model.FragToken{Kind: model.FragText, Text: strings.ReplaceAll(tok[1:len(tok)-1], "''", "'")})
		case c == '`':
			f = append(f, model.FragToken{Kind: model.FragName, Text: tok[1 : len(tok)-1]})
		case c == ':' && len(tok) > 1:
			if i := slices.IndexFunc(params, func(p model.SQLParam) bool { return p.Name == tok[1:] }); i >= 0 {
				f = append(f, model.FragToken{Kind: model.FragParam, Text: tok[1:], Param: i})
				continue
			}
			literal, ok := consts[tok[1:]]
			if !ok {
				b.t.Fatalf("%s is neither a parameter nor a constant", tok)
			}
			e, err := parser.ParseExpr(tok[1:])
			if err != nil {
				b.t.Fatal(err)
			}
			v := model.SQLValue{Text: literal, Number: true}
			switch {
			case literal == "true" || literal == "false":
				v = model.SQLValue{Text: literal, Bool: true}
			case literal[0] == '"':
				text, _ := strconv.Unquote(literal)
				v = model.SQLValue{Text: text}
			}
			f = append(f, model.FragToken{Kind: model.FragValue, Text: tok[1:], Value: v, Const: b.code(e, nil), Literal: literal})
		case c >= '0' && c <= '9':
			f = append(f, model.FragToken{Kind: model.FragNumber, Text: tok})
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			f = append(f, model.FragToken{Kind: model.FragWord, Text: tok})
		default:
			f = append(f, model.FragToken{Kind: model.FragOp, Text: tok})
		}
	}
	return f
}

// set reads assignments, separated by semicolons.
func (b *builder) set(text string, params []model.SQLParam, consts map[string]string) []model.Assign {
	b.t.Helper()
	var list []model.Assign
	for _, a := range strings.Split(text, ";") {
		column, expr, _ := strings.Cut(a, "=")
		list = append(list, model.Assign{Column: strings.TrimSpace(column), Expr: b.frag(strings.TrimSpace(expr), params, consts)})
	}
	return list
}

// guardCases are machines whose guards ask for more than the state.
var guardCases = []genCase{
	{dir: "m_guarded", src: `package m
import ("time"; "example.com/cases/pb")
type Status string
const (Created Status = "CREATED"; Held Status = "HELD"; Paid Status = "PAID"; Done Status = "DONE")
const (Small = 3; Label = "it's"; Live = true)
var _ time.Time
var _ pb.Status
`, build: func(b *builder) {
		consts := map[string]string{"Small": "3", "Label": `"it's"`, "Live": "true", "pb.Status_PAID": "5", "Created": `"CREATED"`}
		m := b.machine("Status", "Status", "string", []string{"Created=CREATED", "Held=HELD", "Paid=PAID", "Done=DONE"},
			"Pay Created,Held -> Paid", "Hold Created -> Held", "Finish Paid -> Done", "Move Created -> Held")
		m.KeyType, m.KeyKind = model.Text("int64"), model.KindInt
		m.Version, m.Fence, m.History, m.Tests = "version", "fence", []string{"shop", "history"}, true
		m.Params = b.sqlParams(nil, "tenant:int64", "now:time.Time")
		m.Where = b.frag("tenant_id = :tenant AND live = :Live", m.Params, consts)
		m.Same = b.set("tenant_id = :tenant", m.Params, consts)
		m.CreateParams = b.sqlParams(m.Params, "amount:int64")
		m.Create = b.set("amount = :amount; label = :Label", m.CreateParams, consts)
		for _, ev := range m.Events {
			ev.Params = m.Params
			ev.Set = b.set("updated_at = :now", ev.Params, consts)
		}
		pay := m.Events[0]
		pay.Once, pay.TTL = true, 3600e9
		pay.Params = b.sqlParams(m.Params, "paidAt:time.Time", "amount:int64")
		pay.Set = b.set("updated_at = :now; paid_at = :paidAt; seen = seen + 1", pay.Params, consts)
		pay.Where = b.frag("amount >= :amount AND kind = :Small AND other <> :pb.Status_PAID AND label IN ('a', 'it''s')", pay.Params, consts)
		move := m.Events[3]
		move.Dynamic, move.Target = true, "to"
		move.Edges = []model.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}}
	}},
	{dir: "m_guard_names", src: `package m
import "time"
type status string
const (open status = "o"; shut status = "s")
type err int
var _ time.Time
`, build: func(b *builder) {
		m := b.machine("status", "status", "string", []string{"open=o", "shut=s"}, "Close open -> shut", "Move open -> shut")
		names := []string{"g", "ctx", "db", "id:err", "version:bool", "fence", "time:time.Time", "idem", "statusClose", "opStatusClose", "statusMachine", "type", "len", "T", "call", "engine", "store", "key", "args", "e", "nil", "error"}
		m.Version, m.Fence = "v", "f"
		for _, ev := range m.Events {
			ev.Once = true
			ev.Params = b.sqlParams(nil, names...)
			var conds []string
			for _, p := range ev.Params {
				conds = append(conds, "c = :"+p.Name)
			}
			ev.Where = b.frag(strings.Join(conds, " OR "), ev.Params, nil)
		}
		m.Events[1].Dynamic, m.Events[1].Once, m.Events[1].Target = true, false, "id"
	}},
	{dir: "m_mapped", src: `package m
type Parcel int8
const (Sent Parcel = 1; Home Parcel = 2)
type Mood string
const (Calm Mood = "calm"; Angry Mood = "angry")
type Gate bool
const (Shut Gate = false; Open Gate = true)
type Deep = uint64
const (Shallow Deep = 0; Bottom Deep = 9)
`, build: func(b *builder) {
		hold := func(m *model.Machine, values ...model.SQLValue) {
			m.Tests = true
			for i, s := range m.States {
				s.Mapped, s.SQL = true, values[i]
			}
		}
		hold(b.machine("Parcel", "Parcel", "int8", []string{"Sent=1", "Home=2"}, "Deliver Sent -> Home"), model.SQLValue{Text: "S"}, model.SQLValue{Text: "it's \"home\""})
		hold(b.machine("Mood", "Mood", "string", []string{"Calm=calm", "Angry=angry"}, "Annoy Calm -> Angry"), model.SQLValue{Text: "0", Number: true}, model.SQLValue{Text: "-5", Number: true})
		hold(b.machine("Gate", "Gate", "bool", []string{"Shut=false", "Open=true"}, "Unlock Shut -> Open"), model.SQLValue{Text: "shut"}, model.SQLValue{Text: "open"})
		m := b.machine("Deep", "Deep", "uint64", []string{"Shallow=0", "Bottom=9"}, "Sink Shallow -> Bottom")
		m.Methods = false
		hold(m, model.SQLValue{Text: "0", Number: true}, model.SQLValue{Text: "18446744073709551615", Number: true})
		for i, m := range b.pkg.Machines {
			m.Table, m.KeyKind = []string{"t" + strconv.Itoa(i)}, model.KindString
		}
	}},
	{dir: "m_in_test", test: true, src: `package m
import ("testing"; "github.com/idemgen/idemgen/runtime/idem")
type Key struct{ n int }
func (k Key) Value() (any, error) { return int64(k.n), nil }
type Switch bool
const (Off Switch = false; On Switch = true)
func openIdemTest(t *testing.T) (idem.DB, idem.Dialect) { t.Skip(); return nil, 0 }
func idemTestSwitchKey(n int) Key { return Key{n} }
var TestIdemSwitch int
`, build: func(b *builder) {
		m := b.machine("Switch", "Switch", "bool", []string{"Off=false", "On=true"}, "Turn Off -> On")
		m.KeyType, m.KeyKind, m.Tests = model.Text("Key"), model.KindOther, true
	}},
}
