package directive

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/model"
)

func TestTokenizeKeepsThePositionOfEveryToken(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{" \t ", ""},
		{"key=a", "1 key=5:a"},
		{"  key=a\t\tttl=5m", "3 key=7:a 10 ttl=14:5m"},
		{"once key=a alone", "w1:once 6 key=10:a w12:alone"},
		{"key=a,b,c", "1 key=5:a,b,c"},
		{"key=f(a, b),m[\"x y\"] ttl=1h", "1 key=5:f(a, b),m[\"x y\"] 22 ttl=26:1h"},
		{`key=m['"'] x`, `1 key=5:m['"'] w12:x`},
		{`set="a = b" where=` + "`c \\ d`", `1 set=q6:a = b 13 where=q20:c \ d`},
		{`set="" x=1`, "1 set=q6: 8 x=10:1"},
		{`key="a"+b`, `1 key=5:"a"+b`},
		{`"a b" c`, "wq2:a b w7:c"},
		{"key=支付 ttl=1m", "1 key=5:支付 12 ttl=16:1m"},
		{"Status.Pay key=id", "w1:Status.Pay 12 key=16:id"},
		{"a=b=c", "1 a=3:b=c"},
		{"--x", "w1:--x"},
	} {
		args, diags := Tokenize(NewText(c.in, model.Pos{File: "a.go", Line: 1, Col: 1}))
		var got []string
		for _, a := range args {
			s := ""
			if a.Key == "" {
				s = "w"
			} else {
				s = fmt.Sprintf("%d %s=", a.KeyPos.Col, a.Key)
			}
			if a.Quoted {
				s += "q"
			}
			got = append(got, s+fmt.Sprintf("%d:%s", a.Value.Pos().Col, a.Value.S))
		}
		if g := strings.Join(got, " "); g != c.want || len(diags) > 0 {
			t.Errorf("%q: got %s, want %s\n%s", c.in, g, c.want, briefs(diags))
		}
	}
}

func TestLaw_G4_UnreadableTextIsAnErrorAtItsColumn(t *testing.T) {
	for _, h := range []hazard{
		{"open quote", onFunc(`//idem:once key="a ttl=5m`), []string{`3:17 IDEM103 the quote " is never closed`}},
		{"open raw quote", onFunc("//idem:once key=`a"), []string{"3:17 IDEM103 the quote ` is never closed"}},
		{"open inner quote", onFunc(`//idem:once key=m["a ttl=5m`), []string{`3:19 IDEM103 the quote " is never closed`}},
		{"open bracket", onFunc("//idem:once key=f(a ttl=5m"), []string{"3:18 IDEM103 the bracket ( is never closed"}},
		{"bad escape", onFunc(`//idem:once key=a op="a\qb"`), []string{`3:24 IDEM103 not an escape of a Go string`}},
		{"no space behind a quote", onFunc(`//idem:once key="a"ttl=5m`), []string{"3:20 IDEM103 a space is missing behind the closing quote"}},
		{"no-break space", onFunc("//idem:once key=a\u00a0ttl=5m"), []string{
			"3:18 IDEM103 invisible character U+00A0 in a directive | remove it, or write it as an escape in a Go string"}},
		{"zero-width space", onFunc("//idem:once key=a\u200b"), []string{"3:18 IDEM103 invisible character U+200B…"}},
		{"control character", onFunc("//idem:once key=a\x01"), []string{"3:18 IDEM103 invisible character U+0001…"}},
		{"not UTF-8", onFunc("//idem:once key=\xff"), []string{"3:8 IDEM112…", "3:17 IDEM103 byte 0xff is not valid UTF-8"}},
		{"space before equals", onFunc("//idem:once key = a"), []string{
			"3:17 IDEM103 space before = | write name=value without spaces around the equals sign"}},
		{"space behind equals", onFunc("//idem:once key= a ttl=5m"), []string{
			"3:17 IDEM103 space behind key= | write name=value without spaces around the equals sign"}},
		{"equals alone", onFunc("//idem:once = a key=b"), []string{"3:13 IDEM103 = without a name before it"}},
		{"value missing", onFunc("//idem:once key= ttl=5m"), []string{"3:17 IDEM106 value missing behind key="}},
		{"value missing at the end", onFunc("//idem:once key="), []string{"3:17 IDEM106 value missing behind key="}},
		{"value missing before CRLF", "package a\r\n\r\n//idem:once key=\r\nfunc F() {}\r\n", []string{"3:17 IDEM106 value missing behind key="}},
		{"value empty", onFunc(`//idem:once key=""`), []string{"3:18 IDEM106 the value of key is empty"}},
		{"no equals", onFunc("//idem:once key"), []string{`3:13 IDEM106 argument "key" of //idem:once needs a value | write key=…`}},
		{"unknown argument", onFunc("//idem:once key=a ttk=5m"), []string{
			`3:19 IDEM104 unknown argument "ttk" for //idem:once | did you mean "ttl"?`}},
		{"unheard-of argument", onFunc("//idem:once key=a frobnicate=5m"), []string{`3:19 IDEM104 unknown argument "frobnicate" for //idem:once`}},
		{"argument in capitals", onFunc("//idem:once KEY=a"), []string{`3:13 IDEM104 unknown argument "KEY" for //idem:once | did you mean "key"?`}},
		{"behind tabs and runes", onFunc("//idem:once\tkey=\"支付\" \t ttk=5m"), []string{`3:28 IDEM104 unknown argument "ttk"…`}},
		{"with CRLF", "package a\r\n\r\n// 支付\r\n//idem:once key=a ttk=5m\r\nfunc F() {}\r\n", []string{`4:19 IDEM104 unknown argument "ttk"…`}},
		{"indented", "package a\n\ntype T interface {\n\t//idem:once key=a ttk=5m\n\tF()\n}\n", []string{`4:20 IDEM104 unknown argument "ttk"…`}},
		{"twice", onFunc("//idem:once key=a ttl=5m key=b"), []string{`3:26 IDEM105 argument "key" is given twice @3:13`}},
		{"unexpected word", onFunc("//idem:once key=a alone"), []string{
			`3:19 IDEM109 unexpected "alone" in //idem:once | arguments are name=value; a list is written without spaces, or in quotes`}},
		{"list with a space", onFunc("//idem:once key=a, b"), []string{"3:19 IDEM106 empty element in key=", `3:20 IDEM109 unexpected "b"…`}},
		{"all of them", onFunc("//idem:once ttk=5m orphan=retry lease=0 maxresult=x"), []string{
			`3:8 IDEM108 //idem:once needs key=…`, `3:13 IDEM104…`, `3:27 IDEM107…`, `3:39 IDEM119…`, `3:51 IDEM120…`}},
		{"required missing", onFunc("//idem:once"), []string{"3:8 IDEM108 //idem:once needs key= | key: what identifies the intention…"}},
		{"misspelt required", onFunc("//idem:once kye=a"), []string{`3:13 IDEM104 unknown argument "kye" for //idem:once | did you mean "key"?`}},
	} {
		h.run(t)
	}
}

func TestExpressionsKeepTheirPositions(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string // text@column of each identifier
	}{
		{"//idem:once key=req.ID,f(a, b)", []string{"req@17", "ID@21", "f@24", "a@26", "b@29"}},
		{`//idem:once key="req.ID, m[\"x\"], c"`, []string{"req@18", "ID@22", "m@26", "c@36"}},
		{"//idem:once key=`m[\"x y\"] ,d`", []string{"m@18", "d@28"}},
		{"//idem:once key=支付.ID,b", []string{"支付@17", "ID@24", "b@27"}},
		{`//idem:once key="\u0061 + b"`, []string{"a@18", "b@27"}},
	} {
		src := "package a\r\n\r\n" + c.line + "\r\nfunc F() {}\r\n"
		fset, file := parseFile(src)
		attached, diags := Scan(fset, file, []byte(src))
		if len(diags) > 0 || len(attached) != 1 {
			t.Errorf("%s: %s", c.line, briefs(diags))
			continue
		}
		var got []string
		for _, e := range attached[0].Args().(*Once).Key.Elems {
			ast.Inspect(e.Expr, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					p := fset.PositionFor(id.Pos(), false)
					got = append(got, fmt.Sprintf("%s@%d", id.Name, p.Column))
					if at := e.At(id); at != model.PosOf(p) || p.Line != 3 || p.Filename != "a.go" {
						t.Errorf("%s: %s at %v by the file set, %v by the expression", c.line, id.Name, p, at)
					}
				}
				return true
			})
		}
		if strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: got %v, want %v", c.line, got, c.want)
		}
	}
}

func TestLaw_G4_BadExpressions(t *testing.T) {
	for _, h := range []hazard{
		{"unfinished", onFunc("//idem:once key=req."), []string{"3:21 IDEM118 \"req.\" is not a Go expression: expected selector or type assertion…"}},
		{"second element", onFunc("//idem:once key=a,b+"), []string{`3:21 IDEM118 "b+" is not a Go expression…`}},
		{"inside a quoted list", onFunc(`//idem:once key="a, b+"`), []string{`3:23 IDEM118 "b+" is not a Go expression…`}},
		{"two expressions in one", onFunc("//idem:once key=a.b;c"), []string{"3:20 IDEM118…"}},
		{"comment", onFunc("//idem:once key=a//b"), []string{"3:18 IDEM118 comment inside key="}},
		{"empty elements", onFunc("//idem:once key=a,,b,"), []string{"3:19 IDEM106 empty element in key=", "3:22 IDEM106 empty element in key="}},
		{"element twice", onFunc("//idem:once key=a,b,a"), []string{`3:21 IDEM105 "a" is given twice in key= @3:17`}},
		{"list for one", onFunc("//idem:once key=a scope=b,c"), []string{"3:27 IDEM118 scope= takes one expression"}},
		{"errors without action", onFunc("//idem:once key=a errors=ErrA"), []string{
			`3:26 IDEM107 "ErrA" does not say what the error means | write release:ErrA, store:ErrA or unknown:ErrA`}},
		{"errors with a bad action", onFunc("//idem:once key=a errors=sotre:ErrA"), []string{
			`3:26 IDEM107 "sotre" is not a value of errors= | did you mean "store"?`}},
		{"errors without a name", onFunc("//idem:once key=a errors=store:"), []string{"3:32 IDEM106 name of the error missing"}},
		{"errors with a call", onFunc("//idem:once key=a errors=store:New()"), []string{`3:32 IDEM107 "New()" does not name an error`}},
		{"errors twice", onFunc("//idem:once key=a errors=store:ErrA,release:ErrA"), []string{`3:45 IDEM105 "ErrA" is given twice in errors= @3:32`}},
		{"match none and more", onFunc("//idem:once key=a match=none,b"), []string{"3:25 IDEM110 none stands alone in match="}},
		{"match no identifier", onFunc("//idem:once key=a match=req.ID"), []string{`3:25 IDEM505 match= "req.ID" is not a Go identifier`}},
		{"lookup no identifier", onFunc("//idem:once key=a lookup=s.Get"), []string{`3:26 IDEM107 "s.Get" is not a Go identifier`}},
		{"operation with a space", onFunc(`//idem:once key=a op="a b"`), []string{`3:23 IDEM504 "a b" is not an operation name`}},
		{"enum", onFunc("//idem:once key=a orphan=reru"), []string{`3:26 IDEM107 "reru" is not a value of orphan= | did you mean "rerun"?`}},
		{"enum far off", onFunc("//idem:once key=a orphan=xyzzy"), []string{`3:26 IDEM107 "xyzzy" is not a value of orphan= | use rerun or hold`}},
		{"contradiction", onFunc("//idem:once key=a result=none maxresult=1KiB codec=c"), []string{
			"3:31 IDEM110 maxresult= contradicts result=none: no result is stored @3:19", "3:46 IDEM110 codec= contradicts result=none: no result is stored @3:19"}},
	} {
		h.run(t)
	}
}

func TestLaw_C2_DurationsAreCheckedWhereTheyAreWritten(t *testing.T) {
	at := func(arg string) string { return onFunc("//idem:once key=a " + arg) }
	for _, h := range []hazard{
		{"zero lease", at("lease=0"), []string{"3:25 IDEM119 lease= is zero"}},
		{"zero lease with a unit", at("lease=0s"), []string{"3:25 IDEM119 lease= is zero"}},
		{"zero ttl", at("ttl=0"), []string{"3:23 IDEM119 ttl= is zero"}},
		{"negative lease", at("lease=-1s"), []string{"3:25 IDEM119 lease= is negative"}},
		{"negative wait", at("wait=-1ms"), []string{"3:24 IDEM119 wait= is negative"}},
		{"under a millisecond", at("ttl=999us"), []string{"3:23 IDEM119 ttl=999us is shorter than a millisecond"}},
		{"wait under a millisecond", at("wait=1ns"), []string{"3:24 IDEM119 wait=1ns is shorter than a millisecond"}},
		{"not whole milliseconds", at("ttl=1500us"), []string{"3:23 IDEM119 ttl=1500us is not a whole number of milliseconds"}},
		{"no unit", at("ttl=24"), []string{`3:23 IDEM119 "24" is not a duration | the unit is missing: 24ms, 24s, 24m or 24h`}},
		{"days", at("ttl=7d"), []string{`3:23 IDEM119 "7d" is not a duration | write 168h`}},
		{"weeks", at("ttl=2w"), []string{`3:23 IDEM119 "2w" is not a duration | write 336h`}},
		{"text", at("lease=long"), []string{`3:25 IDEM119 "long" is not a duration | write a number and a unit: 300ms, 30s, 5m, 24h`}},
		{"quoted", at(`lease="5 m"`), []string{`3:26 IDEM119 "5 m" is not a duration…`}},
		{"overflow", at("ttl=9999999999h"), []string{`3:23 IDEM119 "9999999999h" is not a duration…`}},
		{"a hundred years", at("ttl=876000h"), nil},
		{"an hour more", at("ttl=876001h"), []string{"3:23 IDEM119 ttl=876001h is longer than a hundred years"}},
		{"never misspelt", at("ttl=nver"), []string{`3:23 IDEM119 "nver" is not a duration | did you mean "never"?`}},
		{"never as a lease", at("lease=never"), []string{`3:25 IDEM119 "never" is not a duration…`}},
	} {
		h.run(t)
	}
	o := once(t, "key=a")
	if o.TTL.Set || o.TTL.V != Retention(24*time.Hour) || o.Lease.V != 30*time.Second || o.Wait.V != 0 || o.OnOutage.V != "closed" {
		t.Errorf("defaults: %+v", o)
	}
	o = once(t, "key=a ttl=never lease=1ms wait=0")
	if !o.TTL.Set || o.TTL.V != Never || o.Lease.V != time.Millisecond || !o.Wait.Set || o.Wait.V != 0 {
		t.Errorf("ttl %v, lease %v, wait %v", o.TTL, o.Lease, o.Wait)
	}
	if o = once(t, "key=a wait=1m30s"); o.Wait.V != 90*time.Second || o.Wait.Pos.Col != 24 || o.Wait.KeyPos.Col != 19 {
		t.Errorf("wait %v", o.Wait)
	}
}

func TestSizes(t *testing.T) {
	for in, want := range map[string]Bytes{
		"1000": 1000, "1B": 1, "64KiB": 64 << 10, "1MiB": 1 << 20, "2GiB": 2 << 30, "1KB": 1000, "3kB": 3000, "1MB": 1e6, "1GB": 1e9,
	} {
		if o := once(t, "key=a maxresult="+in); o.MaxResult.V != want {
			t.Errorf("%s: %d, want %d", in, o.MaxResult.V, want)
		}
	}
	for in, want := range map[string]string{
		"0": "maxresult= is zero", "0KiB": "maxresult= is zero", "-1": `"-1" is not a size…`, "+1": `"+1" is not a size…`, "1Meg": `"1Meg" is not a size…`,
		"1.5MiB": `"1.5MiB" is not a size…`, "KiB": `"KiB" is not a size…`, "1mib": `"1mib" is not a size…`,
		"9999999999999999999": "maxresult=9999999999999999999 is too large", "9999999999GiB": "maxresult=9999999999GiB is too large",
	} {
		hazard{in, onFunc("//idem:once key=a maxresult=" + in), []string{"3:29 IDEM120 " + want}}.run(t)
	}
}

func TestOnceTakesEveryArgument(t *testing.T) {
	o := once(t, `key="req.ID, req.Order.No" op=pay scope=req.Tenant match=req,amount orphan=hold errors=release:ErrA,store:pkg.ErrB lookup=Get `+
		`maxresult=1KiB codec=pkg.Codec onoutage=open ctx=s.ctx tx=tx`)
	texts := func(es []Expr) (out []string) {
		for _, e := range es {
			out = append(out, e.Text)
		}
		return out
	}
	got := fmt.Sprintln(texts(o.Key.Elems), o.Op.V, o.Scope.V.Text, o.Match.Elems[0].Text, o.Match.Elems[1].Text, o.Orphan.V,
		o.Errors.Elems[0].Do, o.Errors.Elems[0].Name.Text, o.Errors.Elems[1].Do, o.Errors.Elems[1].Name.Text,
		o.Lookup.V, int64(o.MaxResult.V), o.Codec.V.Text, o.OnOutage.V, o.Ctx.V.Text, o.Tx.V)
	const want = "[req.ID req.Order.No] pay req.Tenant req amount hold release ErrA store pkg.ErrB Get 1024 pkg.Codec open s.ctx tx\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if o := once(t, "key=a match=none result=none"); !o.Match.None() || o.Result.V != "none" {
		t.Errorf("match %v, result %v", o.Match, o.Result)
	}
	if o := once(t, "key=a"); o.Match.None() || o.Match.Set {
		t.Errorf("match %v", o.Match)
	}
}
