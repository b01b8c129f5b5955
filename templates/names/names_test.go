package names

import (
	"slices"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

func TestLower(t *testing.T) {
	for in, want := range map[string]string{
		"Status": "status", "HTTPState": "httpState", "API": "api", "ID2": "id2", "x": "x", "": "", "支付": "支付", "BizNo": "bizNo", "Ünder": "ünder",
	} {
		if got := Lower(in); got != want {
			t.Errorf("Lower(%q) = %q, want %q", in, got, want)
		}
	}
	if Upper("status") != "Status" || Upper("支付") != "支付" || Upper("") != "" {
		t.Error("Upper")
	}
}

func TestFresh(t *testing.T) {
	taken := NewSet([]string{"call", "call2"}, []string{"tx", "_", ""})
	for want, got := range map[string]string{
		"call3": Fresh("call", taken), "tx2": Fresh("tx", taken), "func2": Fresh("func"), "nil2": Fresh("nil"), "init2": Fresh("init"), "a": Fresh("a", nil, taken),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for text, want := range map[string][]string{
		"map[string]*Order": {"map", "string", "Order"}, ".ID": nil, "x.y(z).w": {"x", "z"}, `"a b" + c`: {"c"}, "*": nil,
		"func(a int) b": {"a", "int", "b"},
	} {
		got := identifiers(text)
		got = slices.DeleteFunc(got, func(s string) bool { return s == "map" })
		want = slices.DeleteFunc(want, func(s string) bool { return s == "map" })
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"struct {\n\tA int\n\tB string\n}":   "struct { A int; B string }",
		"struct {\n\tA\t":                    "struct { A\t",
		"\n\tB\tint\n}":                      "; B\tint }",
		"interface {\r\n\tA()\r\n\tB()\r\n}": "interface { A(); B() }",
		"func(\n\ta int,\n\tb int,\n)":       "func( a int, b int, )",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Where goimports would write a name in front of a path, so do we.
func TestLaw_G8_AliasesOnlyWhereToolsWantThem(t *testing.T) {
	for path, want := range map[string]string{
		"database/sql": "sql", "example.com/redis/v9": "redis", "gopkg.in/yaml.v3": "yaml", "example.com/go-money": "money",
		"example.com/a/v2": "a", "v2": "v2", "example.com/uuid": "uuid", "example.com/x.go": "x", "example.com/vx": "vx",
	} {
		if got := assumedName(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestImportsYieldAndAreGrouped(t *testing.T) {
	qual := func(path, name, alias string) model.Code {
		return model.Code{{Kind: model.TokQual, Text: "T", Import: model.Import{Path: path, Name: name, Alias: alias}}}
	}
	m := &model.Method{CtxParam: -1, TxParam: -1, Params: []model.Param{
		{Name: "order", Type: qual("example.com/shop/order", "order", "")},
		{Name: "b", Type: qual("example.com/other/order", "order", "")},
		{Name: "c", Type: qual("example.com/uuid", "another_uuid", "")},
		{Name: "d", Type: qual("shop/self", "self", "")},
		{Name: "e", Type: qual("time", "time", "")},
		{Name: "f", Type: qual("example.com/twice", "twice", "")},
		{Name: "g", Type: qual("example.com/twice", "twice", "again")},
		{Name: "h", Type: qual("example.com/string", "string", ".")},
	}}
	pkg := &model.Package{Path: "shop/orders", Module: "shop", Taken: []string{"time"}, Funcs: []*model.Method{m}}
	table := New(pkg, []model.Import{{Path: "context", Name: "context"}, {Path: "errors", Name: "errors"}}, []string{"another_uuid"})
	for _, p := range m.Params {
		table.Code(p.Type)
	}
	if table.Use("context") != "context" || table.Use("shop/orders") != "" {
		t.Error("Use")
	}
	std, others := table.Groups()
	if want := []Import{{Path: "context"}, {"time2", "time"}}; !slices.Equal(std, want) {
		t.Error(std)
	}
	want := []Import{
		{"order2", "example.com/other/order"}, {"order3", "example.com/shop/order"}, {"string2", "example.com/string"},
		{"again", "example.com/twice"}, {"another_uuid2", "example.com/uuid"}, {"", "shop/self"},
	}
	if !slices.Equal(others, want) {
		t.Error(others)
	}
}

// Parameters keep their names; only those that hide what the body says are renamed.
func TestScope(t *testing.T) {
	m := &model.Method{CtxParam: 0, TxParam: 1, Params: []model.Param{
		{Name: "_"}, {Name: ""}, {Name: "_"}, {Name: "call"}, {Name: "nil"}, {Name: "Receipt"}, {Name: "Unused"}, {Name: "arg2"},
	}, Results: []model.Param{{Type: model.Text("*Receipt")}}}
	pkg := &model.Package{Path: "p", Taken: []string{"Receipt", "Unused"}, Funcs: []*model.Method{m}}
	table := New(pkg, []model.Import{{Path: "x/err", Name: "err"}}, nil)
	s := table.Scope(m, []model.TypeParam{{Name: "K"}}, "outer")
	want := []string{"ctx", "tx", "arg22", "call", "nil2", "Receipt2", "Unused", "arg2"}
	if !slices.Equal(s.Params, want) {
		t.Error(s.Params)
	}
	for want, local := range map[string]string{"call2": "call", "err2": "err", "K2": "K", "outer2": "outer", "tx2": "tx", "free": "free"} {
		if got := s.Local(local); got != want {
			t.Errorf("Local(%s) = %s, want %s", local, got, want)
		}
	}
	if got := Common([]string{"call", "err", "w"}, s); got != "w" {
		t.Error(got)
	}
	if got := Common([]string{"call", "w"}, s); got != "w2" {
		t.Error(got)
	}
}
