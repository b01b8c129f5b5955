package directive

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
	"time"
)

func TestAttachesToEveryKindOfDeclaration(t *testing.T) {
	src := `package a

// Pay pays.
//
//idem:once key=a
func (s *Service) Pay() {}

//idem:once key=b
func Plain() {}

// API is guarded.
type API interface {
	// Get gets.
	//idem:once key=c
	Get(c string) error

	//idem:once key=d
	Put(d string) error
}

//idem:statemachine table=t key=id column=s initial=A
//idem:transition Go A -> B
//idem:transition Back B -> A
type Status string

type (
	// Other is in a group.
	//idem:statemachine table=t key=id column=s initial=A
	Other int

	//idem:statemachine table=t key=id column=s initial=A
	Alias = string

	Inner interface {
		//idem:once key=e
		In(e string) error
	}
)

//idem:statemachine table=t key=id column=s initial=A
const (
	A = "a"
	B = "b"
)

//idem:statemachine table=t key=id column=s initial=C
const C = "c"

	//idem:once key=f
func Indented() {}
`
	attached, diags := scanText(src)
	if len(diags) > 0 {
		t.Fatalf("diagnostics:\n%s", briefs(diags))
	}
	var got []string
	for _, a := range attached {
		who := ""
		switch x := a.Target; {
		case x.Field != nil:
			who = x.Owner.Name.Name + "." + x.Field.Names[0].Name
		case x.Spec != nil:
			who = x.Spec.(*ast.TypeSpec).Name.Name
		case x.Kind == Method || x.Kind == Func:
			who = x.Decl.(*ast.FuncDecl).Name.Name
		default:
			who = x.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Names[0].Name
		}
		got = append(got, a.Name+" "+a.Target.Kind.String()+" "+who)
	}
	want := []string{
		"once method Pay", "once function Plain", "once interface method API.Get", "once interface method API.Put",
		"statemachine type Status", "transition type Status", "transition type Status",
		"statemachine type Other", "statemachine type Alias", "once interface method Inner.In",
		"statemachine const block A", "statemachine const block C", "once function Indented",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	last := attached[len(attached)-1]
	if last.Pos.Line != 49 || last.Pos.Col != 2 || last.NamePos.Col != 9 {
		t.Errorf("indented directive at %v, name at %v", last.Pos, last.NamePos)
	}
}

func TestLaw_G4_LooseDirectivesAreErrors(t *testing.T) {
	const sm = "//idem:statemachine table=t key=id column=s initial=A"
	for _, h := range []hazard{
		{"behind a blank line", "package a\n\n//idem:once key=a\n\nfunc F() {}\n", []string{
			"3:8 IDEM112 //idem:once belongs to no declaration | no blank line or other comment may stand between it and its declaration @5:1"}},
		{"behind another comment group", "package a\n\n//idem:once key=a\n\n// F does.\nfunc F() {}\n", []string{"3:8 IDEM112 //idem:once belongs…"}},
		{"behind a block comment", "package a\n\n//idem:once key=a\n/* x */ func F() {}\n", []string{"3:8 IDEM112 //idem:once belongs…"}},
		{"at the end", "package a\n\nfunc F() {}\n\n//idem:once key=a\n", []string{"5:8 IDEM112 //idem:once belongs to no declaration | nothing follows it"}},
		{"at the end without a line end", "package a\n//idem:once key=a", []string{"2:8 IDEM112 //idem:once belongs…"}},
		{"above the package clause", "//idem:once key=a\npackage a\n", []string{"1:8 IDEM114 //idem:once can't stand on the package clause…"}},
		{"before the package clause", "//idem:once key=a\n\npackage a\n", []string{"1:8 IDEM112 //idem:once belongs…"}},
		{"in a body", "package a\n\nfunc F() {\n\t//idem:once key=a\n\tg()\n}\n", []string{
			"4:9 IDEM113 //idem:once stands inside a function body | put it above the declaration that it is for"}},
		{"on a local type", "package a\n\nfunc F() {\n\t" + sm + "\n\ttype S string\n}\n", []string{"4:9 IDEM113 //idem:statemachine stands inside…"}},
		{"in a function literal", "package a\n\nvar f = func() {\n\t//idem:once key=a\n}\n", []string{"4:9 IDEM113 //idem:once stands inside…"}},
		{"in a signature", "package a\n\nfunc F(\n\t//idem:once key=a\n\tx int,\n) {\n}\n", []string{"4:9 IDEM114 //idem:once stands inside a signature…"}},
		{"on a var", "package a\n\n//idem:once key=a\nvar x = 1\n", []string{
			"3:8 IDEM114 //idem:once can't stand on a var block | it is for a method, a function, an interface method"}},
		{"on a var of a block", "package a\n\nvar (\n\t//idem:once key=a\n\tx = 1\n)\n", []string{"4:9 IDEM114 //idem:once can't stand on a var…"}},
		{"on a const of a block", "package a\n\nconst (\n\t" + sm + "\n\tA = 1\n)\n", []string{
			"4:9 IDEM114 //idem:statemachine can't stand on one constant of a block | put it above the const block"}},
		{"once on a const block", "package a\n\n//idem:once key=a\nconst A = 1\n", []string{"3:8 IDEM114 //idem:once can't stand on a const block…"}},
		{"on a field", "package a\n\ntype T struct {\n\t//idem:once key=a\n\tx int\n}\n", []string{"4:9 IDEM114 //idem:once can't stand on a struct field…"}},
		{"on an import", "package a\n\n//idem:once key=a\nimport \"fmt\"\n", []string{"3:8 IDEM114 //idem:once can't stand on an import…"}},
		{"on an import of a group", "package a\n\nimport (\n\t//idem:once key=a\n\t\"fmt\"\n)\n", []string{"4:9 IDEM114 //idem:once can't stand on an import…"}},
		{"once on a struct", "package a\n\n//idem:once key=a\ntype T struct{}\n", []string{
			"3:8 IDEM114 //idem:once can't stand on a struct | it is for a method, a function, an interface method"}},
		{"once on an interface", "package a\n\n//idem:once key=a\ntype T interface{ F() }\n", []string{"3:8 IDEM114 //idem:once can't stand on an interface…"}},
		{"statemachine on a method", "package a\n\n" + sm + "\nfunc (T) F() {}\n", []string{
			"3:8 IDEM114 //idem:statemachine can't stand on a method | it is for a type, a const block, a var block"}},
		{"statemachine on a struct", "package a\n\n" + sm + "\ntype T struct{}\n", []string{"3:8 IDEM114 //idem:statemachine can't stand on a struct…"}},
		{"on a group of types", "package a\n\n" + sm + "\ntype (\n\tT string\n)\n", []string{
			"3:8 IDEM114 //idem:statemachine can't stand on a group of types | put it above the type inside the group"}},
		{"on an embedded interface", "package a\n\ntype T interface {\n\t//idem:once key=a\n\tU\n}\n", []string{"4:9 IDEM114 //idem:once can't stand on an embedded type…"}},
		{"behind a blank line in an interface", "package a\n\ntype T interface {\n\t//idem:once key=a\n\n\tF()\n}\n", []string{
			"4:9 IDEM112 //idem:once belongs to nothing inside this declaration…"}},
		{"behind code", "package a\n\nfunc F() {} //idem:once key=a\n", []string{
			"3:20 IDEM115 //idem:once stands behind code on the same line | put it on a line of its own above the declaration"}},
		{"behind an opening brace", "package a\n\ntype T interface { //idem:once key=a\n\tF()\n}\n", []string{"3:27 IDEM115 //idem:once stands behind code…"}},
		{"behind a method", "package a\n\ntype T interface {\n\tF() //idem:once key=a\n}\n", []string{"4:13 IDEM115 //idem:once stands behind code…"}},
		{"behind a block comment on its line", "package a\n\n/* x */ //idem:once key=a\nfunc F() {}\n", []string{"3:16 IDEM115 //idem:once stands behind code…"}},
		{"right behind a block comment", "package a\n\n/* x *///idem:once key=a\nfunc F() {}\n", []string{"3:15 IDEM115 //idem:once stands behind code…"}},
		{"behind a byte order mark", "\ufeff//idem:once key=a\npackage a\n", []string{"1:11 IDEM114 //idem:once can't stand on the package clause…"}},
		{"in a generated file", "// Code generated by sqlc. DO NOT EDIT.\n\npackage a\n\n//idem:once key=a\nfunc F() {}\n\n// idem:once key=a\nfunc G() {}\n", []string{
			"5:3 IDEM116 directive in a generated file | annotate a hand-written declaration, or describe the method in idem.yaml",
			"8:4 IDEM116 directive in a generated file…"}},
		{"twice", "package a\n\n//idem:once key=a\n//idem:once key=b\nfunc F() {}\n", []string{
			"4:8 IDEM111 //idem:once is given twice @3:8"}},
		{"twice on an interface method", "package a\n\ntype T interface {\n\t//idem:once key=a\n\t//idem:once key=b\n\tF()\n}\n", []string{"5:9 IDEM111 //idem:once is given twice @4:9"}},
		{"arguments are read all the same", "package a\n\n//idem:once key=a ttk=5m\n\nfunc F() {}\n", []string{
			"3:8 IDEM112 //idem:once belongs…", `3:19 IDEM104 unknown argument "ttk" for //idem:once | did you mean "ttl"?`}},
	} {
		h.run(t)
	}
}

func TestLaw_G4_BrokenFilesHideNothing(t *testing.T) {
	const ten = "x )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\nx )\n"
	for _, h := range []hazard{
		{"no package clause", "//idem:once key=a\nfunc F() {}\n", []string{"1:8 IDEM112 //idem:once belongs…"}},
		{"the parser gives up before it", "package a\n" + ten + "//idem:once key=a\nfunc F() {}\n", []string{"14:8 IDEM112 //idem:once belongs…"}},
		{"unterminated body", "package a\n\nfunc F() {\n\t//idem:once key=a\n", []string{"4:9 IDEM113…"}},
		{"broken declaration behind it", "package a\n\n//idem:once key=a\nfnc F() {}\n", []string{
			"3:8 IDEM112 //idem:once belongs to no declaration | the declaration behind it can't be read"}},
		{"empty package name", "package\n\n// idem:once key=a\n", []string{"3:4 IDEM101…"}},
		{"old line ends", "package a\r\r//idem:once key=a\rfunc F() {}\r", []string{"1:19 IDEM115…", "1:29 IDEM103 invisible character U+000D in a directive…"}},
	} {
		h.run(t)
	}
}

func TestMayContainNeverMissesWhatScanReports(t *testing.T) {
	for _, src := range []string{
		"", "/", "//", "/*", "package a\n", "package a // about idem\n", "// F is idempotent\n",
	} {
		if MayContain([]byte(src)) {
			t.Errorf("%q: may contain a directive", src)
		}
	}
	for _, src := range []string{
		"//idem:", "// idem:once", "/*\n * idem:once\n*/", "\"/*\" /*idem:once*/", "//\u00a0idem:once", "///idem:once", "//idemgen:once",
	} {
		if !MayContain([]byte(src)) {
			t.Errorf("%q: can't contain a directive", src)
		}
	}
}

func TestLaw_G8_GofmtDoesNotChangeTheModel(t *testing.T) {
	// gofmt moves directives behind the text of a doc comment, in order.
	before := "package a\n\n//idem:transition Go A -> B\n// Status is one.\n//idem:statemachine table=t key=id column=s initial=A\n// More text.\ntype Status string\n"
	after := "package a\n\n// Status is one.\n// More text.\n//\n//idem:transition Go A -> B\n//idem:statemachine table=t key=id column=s initial=A\ntype Status string\n"
	a, da := scanText(before)
	b, db := scanText(after)
	if len(da)+len(db) > 0 || len(a) != 2 || len(b) != 2 || a[0].Name != b[0].Name || a[1].Name != b[1].Name {
		t.Errorf("before: %v %s after: %v %s", a, briefs(da), b, briefs(db))
	}
}

// Every way to repeat something must cost time in proportion to its length.
func TestHugeInputIsReadInLinearTime(t *testing.T) {
	const n = 1 << 18
	distinct := func(sep string) string {
		var b strings.Builder
		for i := range n / 8 {
			fmt.Fprintf(&b, "a%d%s", i, sep)
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"slashes":         onFunc(strings.Repeat("/", n)),
		"marks":           onFunc(strings.Repeat("// ", n)),
		"block marks":     onFunc(strings.Repeat("/* ", n) + "*/"),
		"open marks":      onFunc(strings.Repeat("/* ", n)),
		"strings":         "package a\n" + strings.Repeat("var _ = \"//idem:once\"\n", n/16),
		"directives":      "package a\n" + strings.Repeat("//idem:once key=a\n", n/16) + "func F() {}\n",
		"list":            onFunc("//idem:once key=" + distinct(",")),
		"words":           onFunc("//idem:once " + distinct(" ")),
		"keys":            onFunc("//idem:once " + distinct("=x ")),
		"brackets":        onFunc("//idem:once key=a " + strings.Repeat("( ", n)),
		"nested brackets": onFunc("//idem:once key=" + strings.Repeat("(", n)),
		"nested, closed":  onFunc("//idem:once key=" + strings.Repeat("(", n) + strings.Repeat(")", n)),
		"quotes":          onFunc("//idem:once " + strings.Repeat("' ", n)),
		"escapes":         onFunc(`//idem:once key="` + strings.Repeat(`\"`, n) + `"`),
		"where":           onType("//idem:transition Pay a -> b where=\"" + distinct(" = :x OR ") + "c = :D\""),
		"constants":       onType("//idem:transition Pay a -> b where=\"x = :A" + strings.Repeat(" OR x = :A", n/16) + "\""),
		"assignments":     onType("//idem:transition Pay a -> b set=\"" + distinct(" = 1, ") + "c = :D\""),
		"parameters":      onType("//idem:transition Pay a -> b params=" + distinct(":int,") + "b:int"),
		"values":          onType("//idem:statemachine table=t key=id column=s initial=A values=" + distinct(":x,") + "b:y"),
		"arguments":       onFunc("//idem:fire S.Pay key=id args=" + distinct(":x,") + "b:y"),
		"states":          onType("//idem:transition Pay " + distinct(",") + "a -> b"),
		"bodies":          "package a\n" + strings.Repeat("func F() {\n//idem:once key=a\n}\n", n/64),
	} {
		start := time.Now()
		scanText(src)
		if d := time.Since(start); d > time.Minute { // quadratic takes many; linear under 2 s on a busy machine
			t.Errorf("%s: %v for %d bytes", name, d, len(src))
		} else if testing.Verbose() {
			t.Logf("%s: %v for %d bytes", name, d, len(src))
		}
	}
}
