package directive

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/parser/sqlfrag"
)

const machineLine = "//idem:statemachine table=orders key=id column=status initial=Created final=Done\n"

// onType puts lines above a type; the first is line 3.
func onType(lines string) string { return "package a\n\n" + lines + "\ntype Status string\n" }

func TestTransitions(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Pay Created -> Paid", "Pay@19 Created@23 -> Paid@34"},
		{"Pay Created,Held -> Paid", "Pay@19 Created@23 Held@31 -> Paid@39"},
		{"Pay Created , Held,Open -> Paid", "Pay@19 Created@23 Held@33 Open@38 -> Paid@46"},
		{"Pay Created,Held->Paid", "Pay@19 Created@23 Held@31 -> Paid@37"},
		{"Cancel * -> Cancelled", "Cancel@19 *@26 -> Cancelled@31"},
		{"Cancel * - Done,Failed -> Cancelled", "Cancel@19 *@26 Done@30 Failed@35 -> Cancelled@45"},
		{"Cancel *-Done->Cancelled", "Cancel@19 *@26 Done@28 -> Cancelled@34"},
		{"Pay pb.Created , pb.Held -> pb.Paid", "Pay@19 pb.Created@23 pb.Held@36 -> pb.Paid@47"},
		{"Stay A -> A", "Stay@19 A@24 -> A@29"},
		{"Move A,B -> :to", "Move@19 A@24 B@26 -> :to@32"},
		{"Move * - A->:to", "Move@19 *@24 A@28 -> :to@32"},
		{`Move * -> :größe set="a = 1"`, "Move@19 *@24 -> :größe@30"},
		{"支付 Créé -> 已付", "支付@19 Créé@26 -> 已付@36"},
	} {
		attached, diags := scanText(onType("//idem:transition " + c.in))
		if len(diags) > 0 || len(attached) != 1 {
			t.Errorf("%s: %s", c.in, briefs(diags))
			continue
		}
		tr := attached[0].Args().(*Transition)
		got := []string{fmt.Sprintf("%s@%d", tr.Event.Text, tr.Event.Pos.Col)}
		elems := tr.Sources
		target := fmt.Sprintf("%s@%d", tr.Target.Text, tr.Target.Pos.Col)
		if tr.Param.Text != "" {
			target = fmt.Sprintf(":%s@%d", tr.Param.Text, tr.Param.Pos.Col)
		}
		if tr.Wildcard != nil {
			got = append(got, fmt.Sprintf("*@%d", tr.Wildcard.Pos.Col))
			elems = tr.Wildcard.Except
		}
		for _, e := range elems {
			got = append(got, fmt.Sprintf("%s@%d", e.Text, e.Pos.Col))
		}
		got = append(got, "->", target)
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: got %s, want %s", c.in, g, c.want)
		}
		if tr.Target.Expr == nil && tr.Param.Text == "" {
			t.Errorf("%s: target not parsed", c.in)
		}
	}
}

func TestLaw_S4_TransitionGrammarRefusesNonsense(t *testing.T) {
	tr := func(s string) string { return onType("//idem:transition " + s) }
	for _, h := range []hazard{
		{"no target", tr("Pay Created ->"), []string{
			"3:33 IDEM121 target state expected at the end of the transition | write Event A,B -> C, Event * - A,B -> C, or Event A,B -> :to for a target that the caller names"}},
		{"no target but a space", tr("Pay Created -> "), []string{"3:33 IDEM121 target state expected at the end…"}},
		{"no target but an argument", tr(`Pay Created -> set="x = 1"`), []string{"3:33 IDEM121 target state expected…"}},
		{"wildcard target", tr("Reset Paid -> *"), []string{"3:33 IDEM122 a transition can't lead to * | name the state that the event leads to, or write -> :to to let the caller name it"}},
		{"wildcard with states", tr("Cancel *,Paid -> Gone"), []string{"3:27 IDEM123 * stands for every state and can't be listed with others | to leave states out write * - A,B"}},
		{"states with wildcard", tr("Cancel Paid,* -> Gone"), []string{"3:31 IDEM123…"}},
		{"wildcard in the exceptions", tr("Cancel * - * -> Gone"), []string{"3:30 IDEM123…"}},
		{"wildcard and a word", tr("Cancel * Paid -> Gone"), []string{"3:28 IDEM123…"}},
		{"exceptions missing", tr("Cancel * - -> Gone"), []string{`3:30 IDEM121 state expected, found "->"…`}},
		{"two targets", tr("Pay Created -> Paid,Held"), []string{"3:38 IDEM121 a transition leads to one state | use one event per target"}},
		{"two targets with a space", tr("Pay Created -> Paid, Held"), []string{"3:38 IDEM121 a transition leads to one state…"}},
		{"two arrows", tr("Pay A -> B -> C"), []string{`3:30 IDEM109 unexpected "->"…`, `3:33 IDEM109 unexpected "C"…`}},
		{"no comma", tr("Pay A B -> C"), []string{`3:25 IDEM121 -> expected, found "B" | separate states by commas: A,B -> C`}},
		{"comma too many", tr("Pay A,,B -> C"), []string{`3:25 IDEM121 state expected, found ","…`}},
		{"comma at the end", tr("Pay A, -> C"), []string{`3:26 IDEM121 state expected, found "->"…`}},
		{"no source", tr("Pay -> Paid"), []string{`3:23 IDEM121 state expected, found "->"…`}},
		{"no event", tr("-> Paid"), []string{`3:19 IDEM121 event expected, found "->"…`}},
		{"fat arrow", tr("Pay A => B"), []string{`3:25 IDEM121 -> expected, found "=>" | write ->`}},
		{"fat arrow without spaces", tr("Pay A=>B"), []string{`3:24 IDEM121 -> expected, found "=>" | write ->`}},
		{"long arrow", tr("Pay A --> B"), []string{`3:25 IDEM121 -> expected, found "-->" | write ->`}},
		{"pretty arrow", tr("Pay A → B"), []string{`3:25 IDEM121 -> expected, found "→" | write ->`}},
		{"arrow missing", tr("Pay A"), []string{"3:24 IDEM121 -> expected at the end of the transition…"}},
		{"nothing at all", tr(""), []string{"3:8 IDEM108 //idem:transition needs Event A,B -> C"}},
		{"event is no identifier", tr("pay-now A -> B"), []string{`3:19 IDEM505 event "pay-now" is not a Go identifier`}},
		{"event with a dot", tr("a.b A -> B"), []string{`3:19 IDEM505 event "a.b" is not a Go identifier`}},
		{"state is no name", tr("Pay 1a -> B"), []string{`3:23 IDEM107 "1a" does not name a state`}},
		{"state with two dots", tr("Pay a.b.c -> B"), []string{`3:25 IDEM107 "a.b.c" does not name a state`}},
		{"state as a value", tr(`Pay "CREATED" -> B`), []string{`3:23 IDEM121 state expected, found "\""…`}},
		{"source twice", tr("Pay A,B,A -> C"), []string{"3:27 IDEM105 state A is given twice @3:23"}},
		{"exception twice", tr("Pay * - A,A -> C"), []string{"3:29 IDEM105 state A is given twice @3:27"}},
		{"ttl without once", tr("Pay A -> B ttl=1h"), []string{"3:30 IDEM306 ttl= has no effect without once: no record is kept | add once, or remove ttl="}},
		{"once with a value", tr("Pay A -> B once=true"), []string{"3:35 IDEM109 once is a flag and takes no value"}},
		{"ttl of nothing", tr("Pay A -> B once ttl=0s"), []string{"3:39 IDEM119 ttl= is zero"}},
		{"an arrow inside set", tr(`Pay A -> B set="x -> y"`), []string{"3:37 IDEM440 set=: = is wanted behind column x"}},
		{"where that can't be read", tr(`Pay A -> B where="a = 'x"`), []string{"3:41 IDEM440 where=: the text has no closing '"}},
		{"where behind an escape", tr(`Pay A -> B where="\"a\" = ?"`), []string{"3:45 IDEM440 where=: ? is a placeholder of a driver | write :name for a parameter"}},
		{"empty where", tr(`Pay A -> B where=""`), []string{"3:37 IDEM106 the value of where is empty"}},
		{"constant that is none", tr(`Pay A -> B where="a = :pb.b"`), []string{"3:41 IDEM440 where=: pb.b is not exported"}},
		{"column too long", tr(`Pay A -> B set="` + strings.Repeat("x", 64) + ` = 1"`), []string{"3:35 IDEM415…"}},
		{"params without a type", tr("Pay A -> B params=at"), []string{`3:37 IDEM107 "at" gives no type to a parameter | write params=name:type`}},
		{"params with an empty type", tr("Pay A -> B params=at:"), []string{"3:40 IDEM106 type of at missing"}},
		{"params without a name", tr("Pay A -> B params=:int"), []string{"3:37 IDEM106 name of the parameter missing"}},
		{"params with a capital", tr("Pay A -> B params=At:int"), []string{"3:37 IDEM505 parameter \"At\" begins with a capital: that names a constant of Go | write at"}},
		{"params with a dash", tr("Pay A -> B params=a-b:int"), []string{`3:37 IDEM505 parameter "a-b" is not a Go identifier`}},
		{"params with a keyword", tr("Pay A -> B params=type:int"), nil},
		{"params twice", tr("Pay A -> B params=at:int,at:string"), []string{`3:44 IDEM105 "at" is given twice in params= @3:37`}},
		{"params whose type is none", tr("Pay A -> B params=at:[]"), []string{`3:42 IDEM118 "[]" is not a Go expression…`}},
		{"dynamic target without a name", tr("Move A -> :"), []string{"3:30 IDEM106 name of the parameter missing"}},
		{"dynamic target with a capital", tr("Move A -> :To"), []string{`3:30 IDEM505 parameter "To" begins with a capital…`}},
		{"dynamic target with a dot", tr("Move A -> :a.b"), []string{`3:30 IDEM505 parameter "a.b" is not a Go identifier`}},
		{"two dynamic targets", tr("Move A -> :a,:b"), []string{"3:31 IDEM121 a transition leads to one state | use one event per target"}},
		{"dynamic target with a space", tr("Move A -> : to"), []string{"3:30 IDEM106 name of the parameter missing", `3:31 IDEM109 unexpected "to"…`}},
		{"dynamic target with once", tr("Move A -> :to once"), []string{"3:33 IDEM110 once can't be had with a target that the caller names | give each target an event of its own, or guard the method that fires this one with //idem:once @3:30"}},
		{"dynamic source", tr("Move :from -> B"), []string{`3:24 IDEM121 state expected, found ":from"…`}},
		{"unknown flag", tr("Pay A -> B onec"), []string{`3:30 IDEM109 unexpected "onec" in //idem:transition | did you mean "once"?`}},
	} {
		h.run(t)
	}
}

func TestStateMachineArguments(t *testing.T) {
	attached, diags := scanText(onType(`//idem:statemachine name=Order table=shop.orders key=id column=group initial=pb.A final=pb.B,pb.C keytype=[16]byte`))
	if len(diags) > 0 || len(attached) != 1 {
		t.Fatal(briefs(diags))
	}
	m := attached[0].Args().(*StateMachine)
	got := fmt.Sprint(m.Name.V, " ", m.Table.V, " ", m.Key.V, " ", m.Column.V, " ", m.Initial.V.Text, " ", m.Final.Elems[1].Text, "@", m.Final.Elems[1].Pos.Col, " ", m.KeyType.V.Text)
	if want := "Order shop.orders id group pb.A pb.C@94 [16]byte"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if attached, _ := scanText(onType(strings.TrimSpace(machineLine))); attached[0].Args().(*StateMachine).KeyType.V.Text != "string" {
		t.Error("keytype has no default")
	}
}

func TestLaw_G4_StateMachineAndFireArguments(t *testing.T) {
	sm := func(s string) string { return onType("//idem:statemachine " + s) }
	const all = "table=t key=id column=s initial=A"
	for _, h := range []hazard{
		{"nothing given", sm(""), []string{
			"3:8 IDEM108 //idem:statemachine needs column=…", "3:8 IDEM108 //idem:statemachine needs initial=…",
			"3:8 IDEM108 //idem:statemachine needs key=…", "3:8 IDEM108 //idem:statemachine needs table=…"}},
		{"final=none-existent form", sm(all + " final=A,"), []string{"3:63 IDEM106 empty element in final="}},
		{"final twice", sm(all + " final=B,B"), []string{`3:63 IDEM105 "B" is given twice in final= @3:61`}},
		{"initial as an expression", sm("table=t key=id column=s initial=f()"), []string{`3:53 IDEM107 "f()" does not name a constant`}},
		{"two initials", sm("table=t key=id column=s initial=A,B"), []string{`3:53 IDEM107 "A,B" does not name a constant`}},
		{"table with three parts", sm("table=a.b.c key=id column=s initial=A"), []string{`3:27 IDEM415 "a.b.c" is not a table name`}},
		{"table with an empty part", sm("table=a. key=id column=s initial=A"), []string{`3:27 IDEM415 "a." is not a table name`}},
		{"column with a space", sm(`table=t key=id column="a b" initial=A`), []string{`3:44 IDEM415 "a b" is not a column name`}},
		{"column too long", sm("table=t key=id column=" + strings.Repeat("x", 64) + " initial=A"), []string{`3:43 IDEM415…`}},
		{"one column twice", sm("table=t key=id column=id initial=A"), []string{`3:43 IDEM110 column= and key= name the same column "id" @3:33`}},
		{"keytype is no type", sm(all + " keytype=[]"), []string{`3:65 IDEM118 "[]" is not a Go expression…`}},
		{"where that can't be read", sm(all + ` where="a = b; c" version=v`), []string{"3:67 IDEM440 where=: ; ends the statement | one expression is wanted"}},
		{"set that can't be read", sm(all + ` set="a = 1, b"`), []string{"3:67 IDEM440 set=: = is wanted behind column b"}},
		{"create with a table", sm(all + ` create="t.a = 1"`), []string{"3:63 IDEM440 create=: t.a: a column is assigned without its table | leave the table out"}},
		{"where without a value", sm(all + ` where=`), []string{`3:61 IDEM106 value missing behind where=`}},
		{"version in the key", sm(all + " version=id"), []string{`3:63 IDEM110 version= and key= name the same column "id" @3:33`}},
		{"fence in the version", sm(all + " version=v fence=V"), []string{`3:71 IDEM110 fence= and version= name the same column "V" @3:63`}},
		{"version in the state", sm(all + " version=S"), []string{`3:63 IDEM110 version= and column= name the same column "S" @3:43`}},
		{"history in the table", sm(all + " history=T"), []string{`3:63 IDEM110 history= and table= name the same table "T" | the history is a table of its own, with one row per event @3:27`}},
		{"history with three parts", sm(all + " history=a.b.c"), []string{`3:63 IDEM415 "a.b.c" is not a table name`}},
		{"tests as a flag", sm(all + " tests"), []string{`3:55 IDEM106 argument "tests" of //idem:statemachine needs a value | write tests=…`}},
		{"tests with another word", sm(all + " tests=yes"), []string{`3:61 IDEM107 "yes" is not a value of tests= | use true or false`}},
		{"values without a value", sm(all + " values=A"), []string{`3:62 IDEM107 "A" gives no value to a state | write values=Created:C,Paid:P, a constant and what the column holds`}},
		{"values with an empty one", sm(all + " values=A:a,B:"), []string{"3:68 IDEM106 value of B missing…"}},
		{"values with an open quote", sm(all + ` values="A:'a"`), []string{"3:65 IDEM107 'a is not one quoted text | write 'text'; a quote inside is written twice"}},
		{"values with a quote inside", sm(all + ` values="A:a'b'"`), []string{"3:65 IDEM107 a'b' is not one quoted text…"}},
		{"values with a large number", sm(all + " values=A:9223372036854775808"), []string{"3:64 IDEM107 9223372036854775808 is not written as a 64-bit number is…"}},
		{"values with zeros in front", sm(all + " values=A:007"), []string{"3:64 IDEM107 007 is not written as a 64-bit number is | put it into quotes if the column holds text: '007'"}},
		{"values twice", sm(all + " values=A:1,A:2"), []string{`3:66 IDEM105 "A" is given twice in values= @3:62`}},
		{"misspelt", sm(all + " histroy=h"), []string{`3:55 IDEM104 unknown argument "histroy" for //idem:statemachine | did you mean "history"?`}},
		{"deadend as a value", sm(all + " deadend='A'"), []string{`3:63 IDEM107 "'A'" does not name a constant`}},
		{"fire with an argument without a value", onFunc("//idem:fire Status.Pay key=id args=at"), []string{
			`3:36 IDEM107 "at" gives no expression to a parameter | write args=name:expression`}},
		{"fire with an argument that is no expression", onFunc("//idem:fire Status.Pay key=id args=at:req."), []string{"3:43 IDEM118…"}},
		{"fire without machine", onFunc("//idem:fire key=id"), []string{"3:8 IDEM108 //idem:fire needs Machine.Event"}},
		{"fire without key", onFunc("//idem:fire Status.Pay"), []string{"3:8 IDEM108 //idem:fire needs key=…"}},
		{"fire without event", onFunc("//idem:fire Status key=id"), []string{
			`3:13 IDEM107 "Status" does not name a machine and an event | write it as Machine.Event, such as Status.Pay`}},
		{"fire with an empty event", onFunc("//idem:fire Status. key=id"), []string{"3:20 IDEM106 name of the event missing"}},
		{"fire with an empty machine", onFunc("//idem:fire .Pay key=id"), []string{"3:13 IDEM106 name of the machine missing"}},
		{"fire twice in one", onFunc("//idem:fire Status.Pay Status.Ship key=id"), []string{`3:24 IDEM109 unexpected "Status.Ship" in //idem:fire…`}},
		{"fire with two keys", onFunc("//idem:fire Status.Pay key=a,b"), []string{"3:30 IDEM118 key= takes one expression"}},
		{"fire twice", onFunc("//idem:fire Status.Pay key=a\n//idem:fire Status.Ship key=a"), []string{"4:8 IDEM111 //idem:fire is given twice @3:8"}},
	} {
		h.run(t)
	}
}

// TestSQLOfMachinesKnowsItsPlaces: each token of a fragment knows its byte in the
// line, behind escapes as well.
func TestSQLOfMachinesKnowsItsPlaces(t *testing.T) {
	line := `//idem:statemachine table=t key=id column=s initial=A where="\"größe\" = :t AND k = :pb.K" set=` + "`a = 1, \"b\" = :B`" + ` params=t:map[string]int,u:func(a, b int)`
	attached, diags := scanText(onType(line))
	if len(diags) > 0 || len(attached) != 1 {
		t.Fatal(briefs(diags))
	}
	m := attached[0].Args().(*StateMachine)
	var got []string
	see := func(text string, pos int) { got = append(got, fmt.Sprintf("%s@%d", text, pos)) }
	for _, tok := range m.Where.V.Tokens {
		if tok.Kind != sqlfrag.Space {
			see(tok.Text, tok.Pos.Col)
		}
		if tok.Const.Expr != nil {
			see("const "+tok.Const.Text, tok.Const.Pos.Col)
		}
	}
	for _, a := range m.Set.V.List {
		see(a.Column.Text, a.Column.Pos.Col)
		see(a.Expr[0].Text, a.Expr[0].Pos.Col)
	}
	for _, p := range m.Params.Elems {
		see(p.Name.Text, p.Name.Pos.Col)
		see(p.Expr.Text, p.Expr.Pos.Col)
	}
	want := "größe@62 =@74 t@76 AND@79 k@83 =@85 pb.K@87 const pb.K@88 a@99 1@103 b@106 B@112 t@123 map[string]int@125 u@140 func(a, b int)@142"
	if g := strings.Join(got, " "); g != want {
		t.Errorf("got  %s\nwant %s\nin   %s", g, want, line)
	}
}

func TestValuesOfStates(t *testing.T) {
	attached, diags := scanText(onType(`//idem:statemachine table=t key=id column=s initial=A values="A:C, pb.B:'it''s, so',C:12,D:-1,E:'7',F:true,G:x y,H:"`))
	if len(attached) != 1 || len(diags) != 1 || brief(diags[0]) != "3:116 IDEM106 value of H missing | a column that holds an empty text can't tell a state from a missing one" {
		t.Fatal(briefs(diags))
	}
	var got []string
	for _, v := range attached[0].Args().(*StateMachine).Values.Elems {
		got = append(got, fmt.Sprintf("%s=%q@%d,%v,%v", v.State.Text, v.Text, v.Pos.Col, v.Number, v.Bool))
	}
	want := `A="C"@65,false,false pb.B="it's, so"@73,false,false C="12"@87,true,false D="-1"@92,true,false E="7"@97,false,false F="true"@103,false,true G="x y"@110,false,false`
	if g := strings.Join(got, " "); g != want {
		t.Errorf("got  %s\nwant %s", g, want)
	}
}

func TestFire(t *testing.T) {
	for line, want := range map[string]string{
		"//idem:fire Status.Pay key=req.ID":                    "Status@13 Pay@20 req.ID@28 ",
		"//idem:fire key=id orders.Status.Pay lookup=Receipt":  "orders.Status@20 Pay@34 id@17 Receipt",
		"//idem:fire Status.Pay key=id args=at:f(a,b),v:req.V": "Status@13 Pay@20 id@28  at@36 f(a,b)@39 v@46 req.V@48",
	} {
		attached, diags := scanText(onFunc(line))
		if len(diags) > 0 || len(attached) != 1 {
			t.Fatal(briefs(diags))
		}
		f := attached[0].Args().(*Fire)
		got := fmt.Sprintf("%s@%d %s@%d %s@%d %s", f.Machine.Text, f.Machine.Pos.Col, f.Event.Text, f.Event.Pos.Col, f.Key.V.Text, f.Key.V.Pos.Col, f.Lookup.V)
		for _, a := range f.Args.Elems {
			got += fmt.Sprintf(" %s@%d %s@%d", a.Name.Text, a.Name.Pos.Col, a.Expr.Text, a.Expr.Pos.Col)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
