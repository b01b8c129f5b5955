package spec

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// A directive is written in one of three forms:
//
//	once: key=orderID ttl=24h              as behind //idem:once
//	once: {key: orderID, ttl: 24h}         its arguments by name
//	transition: {Pay: CREATED -> PAID}     one that may be repeated, by its first word:
//	                                       the value is either form, or a list of them
//
// A list of the first two forms is taken where a directive may be repeated.

// directive reads one directive, or the several of one that may be repeated.
func (r *reader) directive(d *Declaration, spec *directive.Spec, e entry) {
	n := e.value
	switch {
	case n.Kind == yaml.ScalarNode:
		r.words(d, spec, e.key, nil, n)
	case n.Kind == yaml.SequenceNode && spec.Repeatable:
		if len(n.Content) == 0 {
			r.fail(diag.CodeYAMLShape, n, "%s: is an empty list", spec.Name)
		}
		for _, x := range n.Content {
			switch x.Kind {
			case yaml.ScalarNode:
				r.words(d, spec, x, nil, x)
			case yaml.MappingNode:
				r.arguments(d, spec, x, nil, x)
			default:
				r.fail(diag.CodeYAMLShape, x, "one %s wanted, found %s", spec.Name, kindOf(x))
			}
		}
	case n.Kind == yaml.SequenceNode:
		r.fail(diag.CodeYAMLShape, n, "%s: may be given once, found a list", spec.Name)
	case spec.Repeatable:
		if len(n.Content) == 0 {
			r.fail(diag.CodeYAMLShape, n, "%s: is an empty mapping", spec.Name)
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			r.headed(d, spec, n.Content[i], n.Content[i+1])
		}
	default:
		r.arguments(d, spec, e.key, nil, n)
	}
}

// headed reads a directive that may be repeated: head is its first word.
func (r *reader) headed(d *Declaration, spec *directive.Spec, head, n *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		r.words(d, spec, head, head, n)
	case yaml.MappingNode:
		r.arguments(d, spec, head, head, n)
	default:
		if len(n.Content) == 0 {
			r.fail(diag.CodeYAMLShape, n, "%s of %s is an empty list", spec.Name, head.Value)
		}
		for _, x := range n.Content {
			if x.Kind == yaml.SequenceNode {
				r.fail(diag.CodeYAMLShape, x, "one %s wanted, found %s", spec.Name, kindOf(x))
				continue
			}
			r.headed(d, spec, head, x)
		}
	}
}

// words reads the text form.
func (r *reader) words(d *Declaration, spec *directive.Spec, at, head, n *yaml.Node) {
	var p pieces
	if head != nil {
		p.scalar(r, head)
	}
	if n.Tag != nullTag {
		p.scalar(r, n)
	}
	t := p.text(r, r.start(n))
	args, diags := directive.Words(spec.Name, t)
	r.decode(d, spec, r.place(at), args, diags)
}

// decode hands the arguments to the decoder of directives.
func (r *reader) decode(d *Declaration, spec *directive.Spec, at model.Pos, args []directive.Arg, diags []diag.Diagnostic) {
	for _, a := range args {
		d.Texts = append(d.Texts, a.Value.S)
	}
	v, diags := directive.DecodeBehind(diags, spec.Name, at, args)
	r.diags = append(r.diags, diags...)
	d.Directives = append(d.Directives, directive.Decoded(spec.Name, at, v, len(diags) > 0))
}

// arguments reads the form with names. head, where it is not nil, is the first part
// of what stands before the arguments.
func (r *reader) arguments(d *Declaration, spec *directive.Spec, at, head, n *yaml.Node) {
	var args []directive.Arg
	heads := make([]*yaml.Node, len(spec.Head))
	if head != nil && len(heads) > 0 {
		heads[0] = head
	}
	mark := len(r.diags)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		part := slices.Index(spec.Head, key.Value)
		switch arg := spec.Arg(key.Value); {
		case part >= 0 && heads[part] != nil:
			dd := r.fail(diag.CodeYAMLTwice, key, "%s is given by the key already", key.Value)
			*dd = dd.WithRelated(r.place(heads[part]), "it is here")
		case part >= 0 && (value.Kind != yaml.ScalarNode || value.Tag == nullTag):
			r.fail(diag.CodeYAMLShape, value, "a text wanted for %s, found %s", key.Value, kindOf(value))
		case part >= 0:
			heads[part] = value
		case arg == nil:
			dd := r.fail(diag.CodeUnknownArgument, key, "unknown argument %q for //idem:%s", key.Value, spec.Name)
			*dd = dd.WithSuggestion(key.Value, argumentNames(spec))
		default:
			if a, ok := r.argument(arg, key, value); ok {
				args = append(args, a)
			}
		}
	}
	var p pieces
	var first *yaml.Node
	for _, h := range heads {
		if h != nil {
			if first == nil {
				first = h
			}
			p.scalar(r, h)
		}
	}
	if first != nil {
		args = slices.Insert(args, 0, directive.Arg{Value: p.text(r, r.start(first)), Quoted: true})
	}
	diags := slices.Clone(r.diags[mark:])
	r.diags = r.diags[:mark]
	r.decode(d, spec, r.place(at), args, diags)
}

func argumentNames(spec *directive.Spec) []string {
	out := slices.Clone(spec.Head)
	for _, a := range spec.Args {
		out = append(out, a.Name)
	}
	return out
}

// argument reads one argument by name; false when there is none or it was diagnosed.
func (r *reader) argument(arg *directive.ArgSpec, key, n *yaml.Node) (directive.Arg, bool) {
	name := r.name(key)
	a := directive.Arg{Key: arg.Name, KeyPos: name.Pos}
	if arg.Flag {
		switch {
		case n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false":
			r.fail(diag.CodeYAMLShape, n, "%s is true or false", arg.Name)
		case n.Value == "true":
			var p pieces
			p.scalar(r, key)
			return directive.Arg{Value: p.text(r, r.start(key))}, true
		}
		return a, false
	}
	var p pieces
	good := true
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != nullTag {
			p.scalar(r, n)
			a.Quoted = n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
		}
	case yaml.SequenceNode:
		good = r.list(&p, arg, n)
	case yaml.MappingNode:
		good = r.pairs(&p, arg, n)
	}
	a.Value = p.text(r, r.start(n))
	if !good {
		return a.Unreadable(), true
	}
	return a, true
}

// list joins the elements of a list.
func (r *reader) list(p *pieces, arg *directive.ArgSpec, n *yaml.Node) bool {
	switch {
	case !arg.List:
		r.fail(diag.CodeYAMLShape, n, "%s takes one value, found a list", arg.Name)
		return false
	case len(n.Content) == 0:
		r.fail(diag.CodeYAMLShape, n, "%s: is an empty list", arg.Name)
		return false
	}
	for i, x := range n.Content {
		if x.Kind != yaml.ScalarNode || x.Tag == nullTag {
			r.fail(diag.CodeYAMLShape, x, "a text wanted in %s, found %s", arg.Name, kindOf(x))
			return false
		}
		if i > 0 {
			p.mark(r.start(x), ",")
		}
		from := len(p.s)
		p.scalar(r, x)
		if !r.single(arg, x, string(p.s[from:])) {
			return false
		}
	}
	return true
}

// single refuses an element that is several.
func (r *reader) single(arg *directive.ArgSpec, n *yaml.Node, s string) bool {
	if arg.Pair == "=" && strings.Contains(s, "=") || directive.NewText(s, model.Pos{}).Elements() == 1 {
		return true
	}
	r.fail(diag.CodeYAMLShape, n, "%q is several elements of %s", s, arg.Name).Hint = "write each as an element of its own"
	return false
}

// pairs joins a mapping whose keys are what stands before the colon of an element.
func (r *reader) pairs(p *pieces, arg *directive.ArgSpec, n *yaml.Node) bool {
	if arg.Pair == "" || len(n.Content) == 0 {
		r.fail(diag.CodeYAMLShape, n, "%s can't be %s", arg.Name, map[bool]string{true: "a mapping", false: "empty"}[arg.Pair == ""])
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		values := []*yaml.Node{n.Content[i+1]}
		if arg.Groups && values[0].Kind == yaml.SequenceNode && len(values[0].Content) > 0 {
			values = values[0].Content
		}
		for _, v := range values {
			if v.Kind != yaml.ScalarNode || v.Tag == nullTag {
				r.fail(diag.CodeYAMLShape, v, "a text wanted for %s in %s, found %s", n.Content[i].Value, arg.Name, kindOf(v))
				return false
			}
			if len(p.s) > 0 {
				p.mark(r.start(n.Content[i]), ",")
			}
			p.scalar(r, n.Content[i])
			p.mark(r.start(v), arg.Pair)
			from := len(p.s)
			p.value(r, arg, v)
			if arg.Pair != "=" && !r.single(arg, v, string(p.s[from:])) {
				return false
			}
		}
	}
	return true
}
