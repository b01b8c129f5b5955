package diag

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

func at(file string, line, col int) model.Pos { return model.Pos{File: file, Line: line, Col: col} }

func sample() []Diagnostic {
	dir := filepath.FromSlash("/src/shop")
	return []Diagnostic{
		New(CodeUnknownArgument, at(filepath.Join(dir, "orders", "orders.go"), 41, 27), "unknown argument %q for //idem:once", "ttk").WithSuggestion("ttk", []string{"ttl"}),
		New(CodeRepeatedDirective, at(filepath.FromSlash("/elsewhere/a.go"), 3, 8), "twice").WithRelated(at(filepath.Join(dir, "b.go"), 2, 8), "it is here first"),
		New(CodeLoad, model.Pos{}, "go list: 100%% broken\nsecond line").AsWarning(),
		New(CodeStale, at(filepath.Join(dir, "idem_gen.go"), 0, 0), "stale"),
	}
}

func TestText(t *testing.T) {
	want := `orders/orders.go:41:27: IDEM104: unknown argument "ttk" for //idem:once
	did you mean "ttl"?
/elsewhere/a.go:3:8: IDEM111: twice
	b.go:2:8: it is here first
IDEM602: warning: go list: 100% broken
	second line
idem_gen.go: IDEM607: stale
`
	if got := filepath.ToSlash(Text(sample(), filepath.FromSlash("/src/shop"))); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := Text(sample()[:1], ""); !strings.HasPrefix(got, filepath.FromSlash("/src/shop/orders/orders.go:41:27: ")) {
		t.Errorf("without a base: %s", got)
	}
}

func TestTextCannotDriveTheTerminal(t *testing.T) {
	d := New(CodeBadValue, at("a\x1b[2J.go", 1, 1), "bad \x1b]0;owned\a and \u202e here").WithHint("\x00")
	got := Text([]Diagnostic{d}, "")
	if strings.ContainsAny(got, "\x1b\a\x00\u202e") {
		t.Errorf("%q", got)
	}
}

func TestJSON(t *testing.T) {
	if got := JSON(nil, ""); got != "[]\n" {
		t.Errorf("nothing: %q", got)
	}
	var got []map[string]any
	if err := json.Unmarshal([]byte(JSON(sample(), filepath.FromSlash("/src/shop"))), &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"code": "IDEM104", "severity": "error", "file": "orders/orders.go", "line": 41.0, "column": 27.0,
			"message": `unknown argument "ttk" for //idem:once`, "hint": `did you mean "ttl"?`},
		{"code": "IDEM111", "severity": "error", "file": "/elsewhere/a.go", "line": 3.0, "column": 8.0, "message": "twice",
			"related": []any{map[string]any{"file": "b.go", "line": 2.0, "column": 8.0, "message": "it is here first"}}},
		{"code": "IDEM602", "severity": "warning", "message": "go list: 100% broken\nsecond line"},
		{"code": "IDEM607", "severity": "error", "file": "idem_gen.go", "message": "stale"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if s := JSON([]Diagnostic{New(CodeBadValue, model.Pos{}, "a -> b & <c>")}, ""); !strings.Contains(s, "a -> b & <c>") {
		t.Errorf("escaped for HTML: %s", s)
	}
}

func TestGitHubEscapes(t *testing.T) {
	ds := append(sample(), New(CodeBadValue, at("a:b,c%d.go", 1, 2), "50%% of\r\nit: a,b"))
	want := `::error file=orders/orders.go,line=41,col=27,title=IDEM104::unknown argument "ttk" for //idem:once%0Adid you mean "ttl"?
::error file=/elsewhere/a.go,line=3,col=8,title=IDEM111::twice%0Ab.go:2:8: it is here first
::warning title=IDEM602::go list: 100%25 broken%0Asecond line
::error file=idem_gen.go,title=IDEM607::stale
::error file=a%3Ab%2Cc%25d.go,line=1,col=2,title=IDEM107::50%25 of%0D%0Ait: a,b
`
	if got := GitHub(ds, filepath.FromSlash("/src/shop")); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestSortDoesNotDependOnTheOrderFound(t *testing.T) {
	want := []Diagnostic{
		New(CodeLoad, model.Pos{}, "x"),
		New(CodeBadValue, at("a.go", 1, 1), "a"),
		New(CodeBadValue, at("a.go", 1, 1), "b"),
		New(CodeMissingArgument, at("a.go", 1, 1), "a"),
		New(CodeBadValue, at("a.go", 1, 10), "x"),
		New(CodeBadValue, at("a.go", 2, 1), "x"),
		New(CodeBadValue, at("a.go", 10, 1), "x"),
		New(CodeBadValue, at("b.go", 1, 1), "x"),
	}
	for seed := range uint64(50) {
		got := append(slices.Clone(want), want...)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		if got = Dedupe(got); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n%s", seed, Text(got, ""))
		}
	}
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct {
		word       string
		candidates []string
		want       string
	}{
		{"ttk", []string{"key", "ttl", "tx"}, "ttl"},
		{"tokn", []string{"once", "token"}, "token"},
		{"onec", []string{"lock", "once"}, "once"},
		{"PAYED", []string{"CREATED", "PAID", "SHIPPED"}, "PAID"},
		{"PAYED", []string{"Created", "Paid", "Shipped"}, "Paid"},
		{"KEY", []string{"key"}, "key"},
		{"ke", []string{"tx", "key"}, "key"},
		{"xy", []string{"tx", "key"}, ""},
		{"a", []string{"b"}, ""},
		{"frobnicate", []string{"once", "fire"}, ""},
		{"", []string{"once"}, ""},
		{"once", nil, ""},
		{"once", []string{""}, ""},
		{"支付宝", []string{"支付室", "退款中"}, "支付室"},
		{"支付", []string{"退款"}, ""},
		{"maxresutl", []string{"match", "maxresult"}, "maxresult"},
		{"ab", []string{"ac", "ad"}, "ac"},
		{strings.Repeat("x", 100000), []string{strings.Repeat("x", 99999)}, ""},
		{"\xff\xfe", []string{"once"}, ""},
	} {
		if got := Suggest(c.word, c.candidates); got != c.want {
			t.Errorf("Suggest(%.20q, %.60q) = %q, want %q", c.word, c.candidates, got, c.want)
		}
	}
}

func TestWithDoesNotShareMemory(t *testing.T) {
	base := New(CodeBadValue, model.Pos{}, "x").WithRelated(at("a.go", 1, 1), "one")
	a, b := base.WithRelated(at("a.go", 2, 1), "two"), base.WithRelated(at("a.go", 3, 1), "three")
	if len(base.Related) != 1 || a.Related[1].Message != "two" || b.Related[1].Message != "three" {
		t.Errorf("%v %v %v", base.Related, a.Related, b.Related)
	}
	if HasErrors([]Diagnostic{base.AsWarning()}) || !HasErrors([]Diagnostic{base.AsWarning(), base}) {
		t.Error("HasErrors")
	}
}

func TestTableHasEveryCodeOnce(t *testing.T) {
	var declared []string
	files, err := filepath.Glob("codes_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				if lit, ok := v.Values[0].(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, `"IDEM`) {
					s, _ := strconv.Unquote(lit.Value)
					declared = append(declared, s)
				}
			}
			return true
		})
	}
	slices.Sort(declared)
	var rows []string
	for _, i := range Codes() {
		rows = append(rows, string(i.Code))
		if i.Title == "" || i.What == "" || !strings.HasSuffix(i.What, ".") || (i.Wrong == "") != (i.Right == "") {
			t.Errorf("%s is incomplete: %+v", i.Code, i)
		}
		if got, ok := Describe(i.Code); !ok || got != i {
			t.Errorf("Describe(%s) = %+v, %v", i.Code, got, ok)
		}
	}
	if len(rows) == 0 || !slices.Equal(rows, declared) {
		t.Errorf("rows     %v\ndeclared %v", rows, declared)
	}
	if _, ok := Describe("IDEM999"); ok {
		t.Error("IDEM999 is described")
	}
}
