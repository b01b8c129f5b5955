package spec

import (
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// reader is the state of one Parse.
type reader struct {
	*text
	diags []diag.Diagnostic
}

func (r *reader) add(d diag.Diagnostic) { r.diags = append(r.diags, d) }

func (r *reader) fail(code diag.Code, n *yaml.Node, format string, args ...any) *diag.Diagnostic {
	r.add(diag.New(code, r.place(n), format, args...))
	return &r.diags[len(r.diags)-1]
}

func (r *reader) start(n *yaml.Node) int { return r.offset(n.Line, n.Column) }

func (r *reader) place(n *yaml.Node) model.Pos { return r.pos(r.start(n)) }

// maxDepth is deeper than anything that the file can say.
const maxDepth = 32

// plain refuses what makes a document hard to read, anywhere in it, and keys that
// are given twice. It tells whether the document may be read at all.
func (r *reader) plain(n *yaml.Node, depth int) bool {
	ok := true
	refuse := func(what, hint string) {
		r.fail(diag.CodeYAMLFeature, n, "%s", what).Hint = hint
		ok = false
	}
	switch {
	case depth > maxDepth:
		r.fail(diag.CodeYAMLShape, n, "nested more than %d levels deep", maxDepth)
		return false
	case n.Kind == yaml.AliasNode:
		refuse("alias *"+n.Value, "write the value out")
		return false
	case n.Anchor != "":
		refuse("anchor &"+n.Anchor, "write the value out where it is needed")
	case n.Style&yaml.TaggedStyle != 0:
		refuse("tag "+n.Tag, "remove it: what a value is follows from its place")
	}
	if n.Kind == yaml.MappingNode && !r.keys(n) {
		ok = false
	}
	for _, c := range n.Content {
		if !r.plain(c, depth+1) {
			ok = false
		}
	}
	return ok
}

// keys refuses keys that are no texts, or there twice.
func (r *reader) keys(n *yaml.Node) bool {
	ok := true
	first := map[string]*yaml.Node{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind == yaml.AliasNode: // reported as such
		case key.Kind != yaml.ScalarNode || key.Tag == nullTag:
			r.fail(diag.CodeYAMLShape, key, "%s can't be a key", kindOf(key))
			ok = false
		case key.Tag == "!!merge":
			r.fail(diag.CodeYAMLFeature, key, "merge key <<").Hint = "write the values out"
			ok = false
		case first[key.Value] != nil:
			d := r.fail(diag.CodeYAMLTwice, key, "key %q is given twice", key.Value)
			*d = d.WithRelated(r.place(first[key.Value]), "it is here first")
			ok = false
		default:
			first[key.Value] = key
		}
	}
	return ok
}

const nullTag = "!!null"

// kindOf names a node as a message does.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == nullTag:
		return "nothing"
	}
	return "a text"
}

// entries are the keys and values of a mapping; false, after a diagnostic, when n
// is none. what completes "… wanted".
func (r *reader) entries(n *yaml.Node, what string) ([]entry, bool) {
	if n.Kind != yaml.MappingNode {
		r.fail(diag.CodeYAMLShape, n, "%s wanted, found %s", what, kindOf(n))
		return nil, false
	}
	var out []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, entry{n.Content[i], n.Content[i+1]})
	}
	return out, true
}

type entry struct{ key, value *yaml.Node }

// unknown reports a key that means nothing at its place.
func (r *reader) unknown(key *yaml.Node, known []string) {
	d := r.fail(diag.CodeYAMLKey, key, "unknown key %q", key.Value)
	if *d = d.WithSuggestion(key.Value, known); d.Hint == "" {
		*d = d.WithHint("known here are %s", join(known))
	}
}

func join(words []string) string {
	out := ""
	for i, w := range words {
		if i > 0 {
			out += ", "
		}
		out += w
	}
	return out
}

func (r *reader) name(n *yaml.Node) Name {
	s, places := r.scalar(n)
	return Name{Text: s, Pos: r.pos(places[0]), At: r.at(places[0])}
}
