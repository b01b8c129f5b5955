package directive

import (
	"fmt"
	"strings"
	"testing"
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
		{"支付 Créé -> 已付", "支付@19 Créé@26 -> 已付@36"},
	} {
		attached, diags := scanText(onType("//idem:transition " + c.in))
		if len(diags) > 0 || len(attached) != 1 {
			t.Errorf("%s: %s", c.in, briefs(diags))
			continue
		}
		tr := attached[0].Args.(*Transition)
		got := []string{fmt.Sprintf("%s@%d", tr.Event.Text, tr.Event.Pos.Col)}
		elems := tr.Sources
		if tr.Wildcard != nil {
			got = append(got, fmt.Sprintf("*@%d", tr.Wildcard.Pos.Col))
			elems = tr.Wildcard.Except
		}
		for _, e := range elems {
			got = append(got, fmt.Sprintf("%s@%d", e.Text, e.Pos.Col))
		}
		got = append(got, "->", fmt.Sprintf("%s@%d", tr.Target.Text, tr.Target.Pos.Col))
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: got %s, want %s", c.in, g, c.want)
		}
		if tr.Target.Expr == nil {
			t.Errorf("%s: target not parsed", c.in)
		}
	}
}

func TestLaw_S4_TransitionGrammarRefusesNonsense(t *testing.T) {
	tr := func(s string) string { return onType("//idem:transition " + s) }
	for _, h := range []hazard{
		{"no target", tr("Pay Created ->"), []string{
			"3:33 IDEM121 target state expected at the end of the transition | write Event A,B -> C or Event * - A,B -> C"}},
		{"no target but a space", tr("Pay Created -> "), []string{"3:33 IDEM121 target state expected at the end…"}},
		{"no target but an argument", tr(`Pay Created -> set="x"`), []string{"3:33 IDEM121 target state expected…", "3:34 IDEM117…"}},
		{"wildcard target", tr("Reset Paid -> *"), []string{"3:33 IDEM122 a transition can't lead to * | name the state that the event leads to"}},
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
		{"flag that is not built", tr("Pay A -> B once"), []string{`3:30 IDEM117 argument "once" of //idem:transition is not supported yet by this version`}},
		{"arguments that are not built", tr(`Pay A -> B set="x -> y" where="z"`), []string{
			`3:30 IDEM117 argument "set" of //idem:transition…`, `3:43 IDEM117 argument "where"…`}},
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
	m := attached[0].Args.(*StateMachine)
	got := fmt.Sprint(m.Name.V, " ", m.Table.V, " ", m.Key.V, " ", m.Column.V, " ", m.Initial.V.Text, " ", m.Final.Elems[1].Text, "@", m.Final.Elems[1].Pos.Col, " ", m.KeyType.V.Text)
	if want := "Order shop.orders id group pb.A pb.C@94 [16]byte"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if attached, _ := scanText(onType(strings.TrimSpace(machineLine))); attached[0].Args.(*StateMachine).KeyType.V.Text != "string" {
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
		{"arguments that are not built", sm(all + ` where="x" version=v history=h set="y"`), []string{
			`3:55 IDEM117 argument "where" of //idem:statemachine is not supported yet by this version`, `3:65 IDEM117 argument "version"…`,
			`3:75 IDEM117 argument "history"…`, `3:85 IDEM117 argument "set"…`}},
		{"not built, without a value", sm(all + ` where=`), []string{`3:55 IDEM117 argument "where"…`}},
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

func TestFire(t *testing.T) {
	for line, want := range map[string]string{
		"//idem:fire Status.Pay key=req.ID":                   "Status@13 Pay@20 req.ID@28 ",
		"//idem:fire key=id orders.Status.Pay lookup=Receipt": "orders.Status@20 Pay@34 id@17 Receipt",
	} {
		attached, diags := scanText(onFunc(line))
		if len(diags) > 0 || len(attached) != 1 {
			t.Fatal(briefs(diags))
		}
		f := attached[0].Args.(*Fire)
		got := fmt.Sprintf("%s@%d %s@%d %s@%d %s", f.Machine.Text, f.Machine.Pos.Col, f.Event.Text, f.Event.Pos.Col, f.Key.V.Text, f.Key.V.Pos.Col, f.Lookup.V)
		if got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
