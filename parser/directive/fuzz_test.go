package directive

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// checkText fails when a text that was not decoded differs from the bytes at
// its position, or when any position lies outside of the line. The line begins
// at column 1.
func checkText(t *testing.T, line string, x Text) {
	t.Helper()
	for i := range len(x.S) + 1 {
		if c := x.At(i).Col; c < 1 || c > len(line)+1 || i > 0 && c < x.At(i-1).Col {
			t.Fatalf("byte %d of %q at column %d of %q", i, x.S, c, line)
		}
	}
	if c := x.Pos().Col - 1; x.offs == nil && line[c:c+len(x.S)] != x.S {
		t.Fatalf("%q at column %d, but there is %q", x.S, c+1, line[c:])
	}
}

func FuzzTokenize(f *testing.F) {
	for _, s := range []string{
		"", "key=a", "key=a,b ttl=5m once", `key="a b" set="x = \"y\" \u00e9"`, "key=`a`b", "key=f(a, b),m[\"x\"]", "key = a", "= =",
		`"`, "key=(", "a=b=c", "key=\u00a0", "\xff", "支付=已付", "'", `key="\`,
		`where="\"a\" = :b AND c = :pb.D" set="a = 1, b = 'x''y'" params=a:int,b:map[string]int`, "create=`a = :B` values=A:C,B:'D E',C:-1 tests=true history=h",
		"args=a:req.ID,version:any deadend=A unreachable=B,C fence=f version=v", "where=a=:b set=a=1,b=2 params=a: values=:C", `key="\xff\400"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") {
			return
		}
		args, diags := Tokenize(NewText(line, model.Pos{File: "a.go", Line: 1, Col: 1}))
		last := 0
		for _, a := range args {
			if a.Pos().Col <= last {
				t.Fatalf("%q: %q does not stand behind column %d", line, a.Key+a.Value.S, last)
			}
			last = a.Pos().Col
			if k := a.KeyPos.Col - 1; a.Key != "" && line[k:k+len(a.Key)] != a.Key {
				t.Fatalf("%q: key %q at column %d", line, a.Key, k+1)
			}
			checkText(t, line, a.Value)
			for _, e := range splitList(a.Value) {
				checkText(t, line, e)
			}
		}
		for _, d := range diags {
			if d.Pos.Col < 1 || d.Pos.Col > len(line)+1 {
				t.Fatalf("%q: %s", line, brief(d))
			}
		}
		if len(args) == 0 && len(diags) == 0 && strings.Trim(line, blanks) != "" {
			t.Fatalf("%q is nothing", line)
		}
		for _, s := range Specs() {
			checkDecoded(t, line, s.Name, args)
		}
	})
}

// checkDecoded decodes the arguments and checks what came of them.
func checkDecoded(t *testing.T, line, name string, args []Arg) {
	t.Helper()
	at := model.Pos{File: "a.go", Line: 1, Col: 1}
	v, diags := Decode(name, at, args)
	if v == nil && len(diags) == 0 {
		t.Fatalf("%q: %s decoded into nothing", line, name)
	}
	for _, d := range diags {
		if d.Pos.Line != 1 || d.Pos.Col < 1 || d.Pos.Col > len(line)+1 {
			t.Fatalf("%q: %s", line, brief(d))
		}
	}
	eachPos(reflect.ValueOf(v), func(p model.Pos) {
		if p.Line != 0 && (p.Line != 1 || p.Col < 1 || p.Col > len(line)+1) {
			t.Fatalf("%q: something at %v", line, p)
		}
	})
	eachExpr(reflect.ValueOf(v), func(e Expr) {
		if e.Expr == nil {
			return
		}
		ast.Inspect(e.Expr, func(n ast.Node) bool {
			if n != nil {
				if c := e.At(n).Col; e.src.pos.Col > 0 && (c < 1 || c > len(line)+1) {
					t.Fatalf("%q: %T at column %d", line, n, c)
				}
			}
			return true
		})
	})
}

// eachPos calls f for each position inside v.
func eachPos(v reflect.Value, f func(model.Pos)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachPos(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachPos(v.Index(i), f)
		}
	case reflect.Struct:
		if p, ok := v.Interface().(model.Pos); ok {
			f(p)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachPos(v.Field(i), f)
			}
		}
	}
}

// eachExpr calls f for each Expr inside v.
func eachExpr(v reflect.Value, f func(Expr)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachExpr(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachExpr(v.Index(i), f)
		}
	case reflect.Struct:
		if e, ok := v.Interface().(Expr); ok {
			f(e)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachExpr(v.Field(i), f)
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{
		"package a\n\n//idem:once key=a\nfunc F() {}\n",
		"package a\n\n// idem:once key=a\nfunc F() {}\n",
		"package a\n\ntype T interface {\n\t//idem:once key=a,b\n\tF() //idem:once\n}\n",
		"package a\r\n\r\n//idem:statemachine table=t key=id column=s initial=A\r\n//idem:transition Go A,B -> C\r\ntype S string\r\n",
		"package a\n\n//idem:statemachine table=t key=id column=s initial=A where=\"a = :b AND c = :D\" set=`x = 'y'` params=b:int values=A:a,B:'b' deadend=B history=h\n//idem:transition Go A -> :to once set=\"x = y\"\ntype S string\n",
		"package a\n\nfunc F() {\n\t//idem:once key=a\n\tfunc() { /*idem:once*/ }()\n}\n",
		"package a\n\nvar s = \"//idem:once\"\n/*\n * idem:once\n*/\nconst (\n//idem:once key=\"a\\\"\"\nA = 1\n)\n//idem:lock\n",
		"//idem:once\n", "package", "package a\nfunc F( {\n//idem:once key=a\n", "\ufeff//idem:once key=a\npackage a\n",
		"// Code generated by x. DO NOT EDIT.\n\npackage a\n//idem:once key=a\nfunc F() {}\n",
		"package a\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\n//idem:once key=a\nfunc F() {}\n",
		"package a\n//line b.go:100:7\n//idem:once key=a ttk=1\nfunc F() {}\n",
		"package a\n\nimport \"C\"\n\ntype T struct {\n\t//idem:once key=a\n\tx int //idem:once\n}\n\nfunc (T) F(\n//idem:once\n) {\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		attached, diags := scanText(src)
		lines := strings.SplitAfter(src, "\n")
		check := func(what string, p model.Pos, text string) {
			t.Helper()
			if p.File != "a.go" || p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 {
				t.Fatalf("%s at %v, outside of the file", what, p)
			}
			if rest := lines[p.Line-1][p.Col-1:]; !strings.HasPrefix(rest, text) {
				t.Fatalf("%s at %v: %q, but there is %q", what, p, text, rest)
			}
		}
		seen := make(map[int]bool)
		for _, d := range diags {
			check(brief(d), d.Pos, "")
			for _, r := range d.Related {
				check("related", r.Pos, "")
			}
			seen[d.Pos.Line] = true
			if _, ok := diag.Describe(d.Code); !ok {
				t.Fatalf("%s has no row", d.Code)
			}
		}
		if !slices.IsSortedFunc(diags, func(a, b diag.Diagnostic) int { return a.Pos.Line - b.Pos.Line }) {
			t.Fatalf("not sorted:\n%s", briefs(diags))
		}
		for _, a := range attached {
			check("directive", a.Pos, "//idem:"+a.Name)
			check("name", a.NamePos, a.Name)
			seen[a.Pos.Line] = true
			if a.Args() == nil || a.Target.Kind == 0 || a.Target.Decl == nil {
				t.Fatalf("%s is attached to %+v with %v", a.Name, a.Target, a.Args())
			}
			eachExpr(reflect.ValueOf(a.Args()), func(e Expr) {
				if e.src.offs == nil && e.Pos.File != "" {
					check("expression", e.Pos, e.Text)
				}
			})
		}
		for _, line := range directiveLines(src) {
			if !seen[line] {
				t.Fatalf("the directive in line %d is lost: %d attached, diagnostics:\n%s", line, len(attached), briefs(diags))
			}
		}
		if len(seen) > 0 && !MayContain([]byte(src)) {
			t.Fatal("MayContain says no")
		}
	})
}

// directiveLines finds the //idem: comments in another way than Scan does.
func directiveLines(src string) []int {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(src))
	var sc scanner.Scanner
	sc.Init(f, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	var lines []int
	for {
		p, tok, _ := sc.Scan()
		if tok == token.EOF {
			return lines
		}
		// Not the literal: the scanner takes carriage returns out of it.
		if tok == token.COMMENT && strings.HasPrefix(src[f.Offset(p):], "//idem:") {
			lines = append(lines, fset.PositionFor(p, false).Line)
		}
	}
}

func FuzzTransition(f *testing.F) {
	for _, s := range []string{
		"Pay A -> B", "Pay A,B -> C once", "Cancel * - A , B -> C", "Go pb.A->pb.B", "Pay A ->", "Pay A -> *", "* -> *", "->", "Pay A => B",
		`Pay A -> B set="x -> y"`, "Pay A,,B -> C", "Move A,B -> :to", "Move * - A->:to once ttl=1h", "Move A -> :", "Move :a -> :B", "Move A -> :a.b,C",
		`Pay A -> :to set="a = :b, c = :D" where="e = 'f'" params=b:int`, "支付 A → B", "a\x00 b", "Pay A - B -> C", "- * -> , =",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\r") {
			return
		}
		line := "//idem:transition " + text
		attached, diags := scanText("package a\n\n" + line + "\ntype S string\n")
		if n := transitionHead(text); n < 0 || n > len(text) {
			t.Fatalf("head of %q is %d bytes", text, n)
		}
		for _, d := range diags {
			if d.Pos.Line != 3 || d.Pos.Col < 1 || d.Pos.Col > len(line)+1 {
				t.Fatalf("%q: %s", line, brief(d))
			}
		}
		if len(diags) > 0 {
			return
		}
		if len(attached) != 1 {
			t.Fatalf("%q: neither attached nor diagnosed", line)
		}
		tr := attached[0].Args().(*Transition)
		elems := slices.Clone(tr.Sources)
		if tr.Param.Text == "" {
			elems = append(elems, tr.Target)
		} else if c := tr.Param.Pos.Col - 1; line[c-1:c+len(tr.Param.Text)] != ":"+tr.Param.Text {
			t.Fatalf("%q: %q at column %d", line, tr.Param.Text, c+1)
		}
		if tr.Wildcard != nil {
			elems = append(elems, tr.Wildcard.Except...)
		}
		if tr.Event.Text == "" || (tr.Target.Text == "") == (tr.Param.Text == "") || (tr.Wildcard == nil) == (len(tr.Sources) == 0) {
			t.Fatalf("%q: incomplete: %+v", line, tr)
		}
		for _, e := range elems {
			if c := e.Pos.Col - 1; line[c:c+len(e.Text)] != e.Text || e.Expr == nil {
				t.Fatalf("%q: %q at column %d", line, e.Text, c+1)
			}
		}
		again, diags := scanText("package a\n\n//idem:transition " + canonical(tr) + "\ntype S string\n")
		if len(diags) > 0 || len(again) != 1 || canonical(again[0].Args().(*Transition)) != canonical(tr) {
			t.Fatalf("%q does not survive as %q: %s", line, canonical(tr), briefs(diags))
		}
	})
}

// canonical writes a transition the one way that a careful person would.
func canonical(tr *Transition) string {
	list := func(es []Elem) string {
		var out []string
		for _, e := range es {
			out = append(out, e.Text)
		}
		return strings.Join(out, ",")
	}
	source := list(tr.Sources)
	if tr.Wildcard != nil {
		source = "*"
		if len(tr.Wildcard.Except) > 0 {
			source += " - " + list(tr.Wildcard.Except)
		}
	}
	target := tr.Target.Text
	if tr.Param.Text != "" {
		target = ":" + tr.Param.Text
	}
	return tr.Event.Text + " " + source + " -> " + target
}
