package spec

import (
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/parser/directive"
)

// pieces joins scalars to the text that a directive's decoder takes.
type pieces struct {
	s      []byte
	places []int
	end    int
}

// scalar adds a scalar; a space parts it from a word before.
func (p *pieces) scalar(r *reader, n *yaml.Node) {
	s, places := r.scalar(n)
	if len(p.s) > 0 && wordEnd(p.s[len(p.s)-1]) {
		p.mark(places[0], " ")
	}
	p.add(s, places)
}

func wordEnd(c byte) bool { return c != ',' && c != ':' && c != '=' && c != ' ' }

func (p *pieces) add(s string, places []int) {
	p.s = append(p.s, s...)
	p.places = append(p.places, places[:len(s)]...)
	p.end = places[len(s)]
}

// mark adds what does not stand in the file.
func (p *pieces) mark(at int, s string) {
	p.s = append(p.s, s...)
	for range s {
		p.places = append(p.places, at)
	}
	p.end = at
}

// value adds the value of a pair. Where quotes tell a text from a number, YAML's
// quotes do, and other texts get them.
func (p *pieces) value(r *reader, arg *directive.ArgSpec, n *yaml.Node) {
	s, places := r.scalar(n)
	bare := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 && (isNumber(s) || s == "true" || s == "false")
	if !arg.SQLText || bare || s == "" {
		p.add(s, places)
		return
	}
	p.mark(places[0], "'")
	for i := range len(s) {
		if s[i] == '\'' {
			p.mark(places[i], "'")
		}
		p.add(s[i:i+1], places[i:i+2])
	}
	p.mark(places[len(s)], "'")
}

// text is what was joined; at is where it stands when it is empty.
func (p *pieces) text(r *reader, at int) directive.Text {
	places := []int{at}
	if len(p.s) > 0 {
		places = append(p.places, p.end)
	}
	for i := range places {
		places[i] = r.inside(places[i])
	}
	return directive.TextIn(r.tok, string(p.s), places)
}
