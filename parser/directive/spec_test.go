package directive

import (
	"reflect"
	"slices"
	"testing"

	"github.com/idemgen/idemgen/internal/model"
)

func TestRegistryKnowsEveryDirective(t *testing.T) {
	var got []string
	for _, s := range Specs() {
		got = append(got, s.Name)
	}
	want := []string{"once", "statemachine", "transition", "fire", "version", "update", "token", "lock", "unique", "request", "message"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRegistryRowsAreComplete(t *testing.T) {
	for _, s := range Specs() {
		if s.Doc == "" || len(s.Targets) == 0 {
			t.Errorf("%s: doc %q, targets %v", s.Name, s.Doc, s.Targets)
		}
		if _, ok := s.New().(positional); ok != (s.Positional != "") {
			t.Errorf("%s: positional is %q", s.Name, s.Positional)
		}
		for _, a := range s.Args {
			if a.Name == "" || a.Doc == "" || a.Syntax == "" {
				t.Errorf("%s: argument %+v is incomplete", s.Name, a)
			}
			if a.Required && a.Default != "" {
				t.Errorf("%s: %s is required and has a default", s.Name, a.Name)
			}
		}
	}
}

// Each default must be a value that the argument would take.
func TestRegistryDefaultsDecode(t *testing.T) {
	for _, s := range Specs() {
		for _, a := range s.Args {
			if a.Default == "" {
				continue
			}
			d := decoder{name: s.Name}
			field := reflect.ValueOf(s.New()).Elem().Field(a.field).Addr().Interface().(setter)
			field.set(&d, &a, Arg{Key: a.Name, Value: NewText(a.Default, model.Pos{})})
			if len(d.diags) > 0 {
				t.Errorf("%s: default of %s: %s", s.Name, a.Name, briefs(d.diags))
			}
		}
	}
}

func TestSpecsAreCopies(t *testing.T) {
	s := Specs()
	s[0].Name, s[0].Args[0].Name, s[0].Targets[0] = "x", "x", Struct
	if i := slices.IndexFunc(s[0].Args, func(a ArgSpec) bool { return a.Values != nil }); i >= 0 {
		s[0].Args[i].Values[0] = "x"
	}
	if again := Specs(); again[0].Name != "once" || again[0].Args[0].Name != "key" || again[0].Targets[0] != Method ||
		slices.ContainsFunc(again[0].Args, func(a ArgSpec) bool { return slices.Contains(a.Values, "x") }) {
		t.Error("the registry was changed from outside")
	}
}

// Another reader (YAML) decodes arguments that never were a comment.
func TestDecodeWithoutAComment(t *testing.T) {
	at := model.Pos{File: "idem.yaml", Line: 7, Col: 3}
	v, diags := Decode("once", at, []Arg{
		{Key: "key", KeyPos: model.Pos{File: "idem.yaml", Line: 8, Col: 5}, Value: NewText("req.ID, f(a)", model.Pos{File: "idem.yaml", Line: 8, Col: 10})},
		{Key: "ttk", KeyPos: model.Pos{File: "idem.yaml", Line: 9, Col: 5}, Value: NewText("5m", model.Pos{File: "idem.yaml", Line: 9, Col: 10})},
	})
	if len(diags) != 1 || brief(diags[0]) != `9:5 IDEM104 unknown argument "ttk" for //idem:once | did you mean "ttl"?` || diags[0].Pos.File != "idem.yaml" {
		t.Errorf("diagnostics: %s", briefs(diags))
	}
	e := v.(*Once).Key.Elems[1]
	if want := (model.Pos{File: "idem.yaml", Line: 8, Col: 18}); e.Text != "f(a)" || e.Pos != want || e.At(e.Expr) != want {
		t.Errorf("%+v", e)
	}
	v, diags = Decode("transition", at, []Arg{{Value: NewText("Pay A -> B", model.Pos{File: "idem.yaml", Line: 8, Col: 10})}})
	if tr := v.(*Transition); len(diags) > 0 || tr.Target.Text != "B" || tr.Target.Pos.Col != 19 {
		t.Errorf("%+v %s", v, briefs(diags))
	}
}
