package directive

import (
	"reflect"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// setter is a field of a directive's struct.
type setter interface {
	// set decodes the argument into the field.
	set(d *decoder, arg *ArgSpec, a Arg)
	// preset fills in the default.
	preset(arg *ArgSpec)
	// syntax names the form of the value for the reference.
	syntax(arg *ArgSpec) string
}

// positional is a directive with a part before its arguments.
type positional interface{ positional(d *decoder, a Arg) }

// validator is a directive with rules over several arguments.
type validator interface{ validate(d *decoder) }

// Decode fills the typed struct of the directive called name; at is where the
// name stands and where missing arguments are reported. The struct is nil for
// a name that is unknown, which is a diagnostic as well.
func Decode(name string, at model.Pos, args []Arg) (any, []diag.Diagnostic) {
	d := decoder{name: name, at: at}
	v := d.decode(args)
	return v, d.diags
}

// decoder collects the diagnostics of one directive.
type decoder struct {
	name  string
	at    model.Pos
	diags []diag.Diagnostic
	// partial: some arguments could not be read, so none is reported as missing.
	partial bool
}

func (d *decoder) add(f diag.Diagnostic) { d.diags = append(d.diags, f) }

// title is the directive as messages call it.
func (d *decoder) title() string { return "//idem:" + d.name }

func (d *decoder) decode(args []Arg) any {
	spec := lookup(d.name)
	if spec == nil {
		d.add(diag.New(diag.CodeUnknownDirective, d.at, "unknown directive %s", d.title()).WithSuggestion(d.name, names()))
		return nil
	}
	v := spec.New()
	fields := reflect.ValueOf(v).Elem()
	field := func(a *ArgSpec) setter { return fields.Field(a.field).Addr().Interface().(setter) }
	for i := range spec.Args {
		field(&spec.Args[i]).preset(&spec.Args[i])
	}
	seen := make([]*Arg, len(spec.Args))
	head := false
	for i := range args {
		a := &args[i]
		j := d.match(spec, a, &head)
		switch {
		case j == matchedHead:
			v.(positional).positional(d, *a)
		case j < 0:
		case seen[j] != nil:
			d.add(diag.New(diag.CodeRepeatedArgument, a.Pos(), "argument %q is given twice", spec.Args[j].Name).
				WithRelated(seen[j].Pos(), "it is here first"))
		default:
			seen[j] = a
			if a.bad {
				continue
			}
			field(&spec.Args[j]).set(d, &spec.Args[j], *a)
		}
	}
	if !d.partial {
		d.missing(spec, seen, head)
	}
	if r, ok := v.(validator); ok {
		r.validate(d)
	}
	return v
}

// What match returns beside the index of an argument.
const (
	matchedNothing = -1 // diagnosed
	matchedHead    = -2
)

// match finds the argument of the spec that a stands for.
func (d *decoder) match(spec *Spec, a *Arg, head *bool) int {
	word := a.Key
	if a.Key == "" {
		word = a.Value.S
	}
	j := slices.IndexFunc(spec.Args, func(s ArgSpec) bool { return s.Name == word && (a.Key != "" || !a.Quoted) })
	switch {
	case a.Key == "" && j >= 0 && spec.Args[j].Flag:
		return j
	case a.Key == "" && spec.Positional != "" && !*head && (j < 0 || spec.head != nil):
		*head = true
		return matchedHead
	case a.Key == "" && a.bad:
		d.partial = true
	case a.Key == "" && j >= 0:
		d.add(diag.New(diag.CodeMissingValue, a.Pos(), "argument %q of %s needs a value", word, d.title()).
			WithHint("write %s=…", word))
		d.partial = true
	case a.Key == "":
		d.add(d.unexpected(spec, word, a.Pos()))
	case j < 0:
		d.add(diag.New(diag.CodeUnknownArgument, a.KeyPos, "unknown argument %q for %s", word, d.title()).
			WithSuggestion(word, spec.argNames(false)))
		// The misspelt argument may be a required one: one report is enough.
		d.partial = d.partial || spec.requires(diag.Suggest(word, spec.argNames(false)))
	case spec.Args[j].Flag:
		d.add(diag.New(diag.CodeUnexpectedWord, a.Value.Pos(), "%s is a flag and takes no value", word))
	case a.bad:
		return j
	case a.Value.S == "" && !a.Quoted:
		d.add(diag.New(diag.CodeMissingValue, a.Value.Pos(), "value missing behind %s=", word))
		d.partial = true
	case a.Value.S == "":
		d.add(diag.New(diag.CodeMissingValue, a.Value.Pos(), "the value of %s is empty", word))
		d.partial = true
	default:
		return j
	}
	return matchedNothing
}

func (d *decoder) unexpected(spec *Spec, word string, at model.Pos) diag.Diagnostic {
	f := diag.New(diag.CodeUnexpectedWord, at, "unexpected %q in %s", word, d.title())
	if s := diag.Suggest(word, spec.argNames(true)); s != "" {
		return f.WithHint("did you mean %q?", s)
	}
	return f.WithHint("arguments are name=value; a list is written without spaces, or in quotes")
}

func (d *decoder) missing(spec *Spec, seen []*Arg, head bool) {
	if spec.Positional != "" && !head {
		d.add(diag.New(diag.CodeMissingArgument, d.at, "%s needs %s", d.title(), spec.Positional))
	}
	for i, a := range spec.Args {
		if a.Required && seen[i] == nil {
			d.add(diag.New(diag.CodeMissingArgument, d.at, "%s needs %s=", d.title(), a.Name).WithHint("%s: %s", a.Name, a.Doc))
		}
	}
}

// argNames are the names of the arguments, or of the flags alone.
func (s *Spec) argNames(flags bool) []string {
	var out []string
	for _, a := range s.Args {
		if a.Flag == flags {
			out = append(out, a.Name)
		}
	}
	return out
}

func (s *Spec) requires(name string) bool {
	a := s.Arg(name)
	return a != nil && a.Required
}

func (v *Val[T]) set(d *decoder, arg *ArgSpec, a Arg) {
	x, ok := scalar[T](d, arg, a.Value)
	if ok {
		*v = Val[T]{Set: true, V: x, Pos: a.Value.Pos(), KeyPos: a.Pos()}
	}
}

func (v *Val[T]) preset(arg *ArgSpec) {
	if arg.Default != "" {
		v.V, _ = scalar[T](new(decoder), arg, NewText(arg.Default, model.Pos{}))
	}
}

func (v *Val[T]) syntax(arg *ArgSpec) string { return syntaxOf[T](arg) }

func (l *List[T]) set(d *decoder, arg *ArgSpec, a Arg) {
	out := List[T]{Set: true, Pos: a.Value.Pos(), KeyPos: a.Pos()}
	parts := splitList(a.Value)
	seen := make(map[string]model.Pos, len(parts))
	for _, p := range parts {
		if p.S == "" {
			d.add(diag.New(diag.CodeMissingValue, p.Pos(), "empty element in %s=", arg.Name))
			continue
		}
		if arg.none && p.S == "none" {
			if len(parts) > 1 {
				d.add(diag.New(diag.CodeContradiction, p.Pos(), "none stands alone in %s=", arg.Name))
			}
			continue
		}
		x, ok := scalar[T](d, arg, p)
		if !ok {
			continue
		}
		if e, ok := any(x).(element); ok {
			if first, twice := seen[e.ident()]; twice {
				d.add(diag.New(diag.CodeRepeatedArgument, e.at(), "%q is given twice in %s=", e.ident(), arg.Name).
					WithRelated(first, "it is here first"))
				continue
			}
			seen[e.ident()] = e.at()
		}
		out.Elems = append(out.Elems, x)
	}
	*l = out
}

func (l *List[T]) preset(*ArgSpec) {}

func (l *List[T]) syntax(arg *ArgSpec) string { return syntaxOf[T](arg) + ", …" }
