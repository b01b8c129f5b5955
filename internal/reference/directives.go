package reference

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/parser/directive"
)

func directives(b *bytes.Buffer) {
	b.WriteString("A directive is a comment line `//idem:name` in the doc comment of its declaration, followed by `key=value` arguments and flags, separated by spaces. " +
		"A value is bare, a Go string (`\"…\"`) or a raw string; a list is `a,b,c`; durations are Go's (`30s`, `24h`); sizes are bytes, or `64KiB`, `1MiB`. " +
		"`idem.yaml` takes the same names and values.\n\n")
	specs := directive.Specs()
	for _, s := range specs {
		fmt.Fprintf(b, "- [%s](#%s): %s\n", s.Name, s.Name, s.Doc)
	}
	b.WriteByte('\n')
	for _, s := range specs {
		writeDirective(b, s)
	}
}

// Directive is the part of the page that describes one directive; ok is false for a
// name that is none.
func Directive(name string) (text []byte, ok bool) {
	specs := directive.Specs()
	i := slices.IndexFunc(specs, func(s directive.Spec) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	var b bytes.Buffer
	writeDirective(&b, specs[i])
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), true
}

func writeDirective(b *bytes.Buffer, s directive.Spec) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n", s.Name, upperFirst(s.Doc))
	var on []string
	for _, t := range s.Targets {
		on = append(on, t.String())
	}
	head := "//idem:" + s.Name
	if s.Positional != "" {
		head += " " + s.Positional
	}
	fmt.Fprintf(b, "`%s …` on: %s.", head, strings.Join(on, ", "))
	if s.Repeatable {
		b.WriteString(" It may stand there more than once.")
	}
	b.WriteString("\n\n")
	goBlock(b, examples[s.Name])
	if len(s.Args) == 0 {
		return
	}
	b.WriteString("| argument | value | default | meaning |\n|---|---|---|---|\n")
	for _, a := range s.Args {
		def := code(a.Default)
		if a.Required {
			def = "required"
		}
		name := a.Name + "="
		if a.Flag {
			name = a.Name
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, value(a), def, cell(upperFirst(a.Doc)))
	}
	b.WriteByte('\n')
}

// value is what may be written behind the argument's =.
func value(a directive.ArgSpec) string {
	switch {
	case a.Flag:
		return "(a flag)"
	case len(a.Values) > 0:
		var all []string
		for _, v := range a.Values {
			all = append(all, code(v))
		}
		return strings.Join(all, " or ")
	}
	return cell(a.Syntax)
}

// upperFirst begins a sentence.
func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
