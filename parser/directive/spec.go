package directive

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Spec is one row of the registry of directives.
type Spec struct {
	Name       string
	Doc        string
	Targets    []TargetKind // declarations that it may stand on
	Repeatable bool         // may stand on one declaration more than once
	Positional string       // syntax of what is written before the arguments, or ""
	Head       []string     // names of the parts of Positional, where each is written apart (idem.yaml)
	Args       []ArgSpec    // in the order of documentation; made from the struct of New
	// New makes the directive's typed struct.
	New func() any

	// head is the length of the positional part, where that is more than a word.
	head func(string) int
}

// ArgSpec is one argument of a directive.
type ArgSpec struct {
	Name     string
	Doc      string
	Syntax   string   // "duration", "expression, …", …
	Default  string   // as it would be written, or ""
	Values   []string // the only values allowed, or nil for any
	Required bool
	Flag     bool // written without a value
	List     bool // takes several values, separated by commas
	// Pair is what stands between name and value of an element, where a list has
	// such: ":" or "="; "" otherwise.
	Pair string
	// Groups: several elements may share what stands before the colon.
	Groups bool
	// SQLText: a value in quotes is a text, and a bare one may be a number.
	SQLText bool

	form  string // further rule for a text
	zero  bool   // zero is a legal duration
	none  bool   // `none` is a legal list
	field int    // in the struct
}

// Arg is the argument of that name, or nil.
func (s *Spec) Arg(name string) *ArgSpec {
	for i := range s.Args {
		if s.Args[i].Name == name {
			return &s.Args[i]
		}
	}
	return nil
}

// Specs is the registry, in the order of documentation. The caller owns the
// slice and what it holds.
func Specs() []Spec {
	specs := slices.Clone(registry())
	for i := range specs {
		specs[i].Targets = slices.Clone(specs[i].Targets)
		specs[i].Head = slices.Clone(specs[i].Head)
		specs[i].Args = slices.Clone(specs[i].Args)
		for j := range specs[i].Args {
			specs[i].Args[j].Values = slices.Clone(specs[i].Args[j].Values)
		}
	}
	return specs
}

// registry makes the rows once; they never change.
var registry = sync.OnceValue(func() []Spec {
	specs := []Spec{
		onceSpec(), stateMachineSpec(), transitionSpec(), fireSpec(), versionSpec(), updateSpec(),
		tokenSpec(), lockSpec(), uniqueSpec(), requestSpec(), messageSpec(),
	}
	for i := range specs {
		specs[i].Args = argsOf(reflect.TypeOf(specs[i].New()).Elem())
	}
	return specs
})

// lookup is the row of a name, or nil.
func lookup(name string) *Spec {
	specs := registry()
	for i := range specs {
		if specs[i].Name == name {
			return &specs[i]
		}
	}
	return nil
}

// names are the names of all directives.
func names() []string {
	var out []string
	for _, s := range registry() {
		out = append(out, s.Name)
	}
	return out
}

// argsOf reads the arguments from the tags of a directive's struct:
// `arg:"name,options" form:"…" enum:"a|b" default:"…" doc:"…"` with the options
// required, flag, zero and none.
func argsOf(t reflect.Type) []ArgSpec {
	var args []ArgSpec
	for i := range t.NumField() {
		f := t.Field(i)
		tag, ok := f.Tag.Lookup("arg")
		if !ok {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
		a := ArgSpec{
			Name: name, Doc: f.Tag.Get("doc"), Default: f.Tag.Get("default"),
			Required: has("required"), Flag: has("flag"), zero: has("zero"), none: has("none"),
			form: f.Tag.Get("form"), field: i,
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			a.Values = strings.Split(enum, "|")
		}
		value := reflect.New(f.Type).Interface()
		a.Syntax = value.(setter).syntax(&a)
		if l, ok := value.(interface{ shape(*ArgSpec) }); ok {
			l.shape(&a)
		}
		args = append(args, a)
	}
	return args
}
