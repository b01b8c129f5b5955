package directive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// The grammar of a transition:
//
//	transition = event source "->" ( state | ":" parameter ) .
//	source     = states | "*" [ "-" states ] .
//	states     = state { "," state } .
//	state      = Name | pkg.Name .

type symKind uint8

const (
	symEnd symKind = iota
	symWord
	symComma
	symArrow
	symStar
	symMinus
	symParam    // :to
	symBadArrow // =>, -->, →
	symOther
)

// sym is one symbol of a transition: s[from:to].
type sym struct {
	kind     symKind
	from, to int
}

// nextSym reads the symbol at or behind offset i.
func nextSym(s string, i int) sym {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	rest := s[i:]
	if rest == "" {
		return sym{symEnd, i, i}
	}
	for _, fixed := range []struct {
		text string
		kind symKind
	}{
		{"-->", symBadArrow}, {"->", symArrow}, {"=>", symBadArrow}, {"→", symBadArrow}, {"⇒", symBadArrow},
		{",", symComma}, {"*", symStar}, {"-", symMinus},
	} {
		if strings.HasPrefix(rest, fixed.text) {
			return sym{fixed.kind, i, i + len(fixed.text)}
		}
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return !isStateRune(r) })
	switch {
	case n < 0:
		return sym{symWord, i, len(s)}
	case n > 0:
		return sym{symWord, i, i + n}
	case rest[0] == ':':
		n = strings.IndexFunc(rest[1:], func(r rune) bool { return !isStateRune(r) })
		if n < 0 {
			n = len(rest) - 1
		}
		return sym{symParam, i, i + 1 + n}
	}
	_, size := utf8.DecodeRuneInString(rest)
	return sym{symOther, i, i + size}
}

func isStateRune(r rune) bool {
	return r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// transitionHead is the length of the part of s that is the transition; flags
// and arguments follow.
func transitionHead(s string) int {
	end, arrow := 0, false
	for {
		y := nextSym(s, end)
		switch {
		case y.kind == symEnd:
			return len(s)
		case y.kind == symWord && y.to < len(s) && s[y.to] == '=' && !strings.HasPrefix(s[y.to:], "=>"):
			return end
		}
		end = y.to
		if arrow && y.kind != symComma && y.kind != symArrow {
			// The target. A comma behind it belongs to it, so that the
			// grammar can say that there is only one.
			if next := nextSym(s, end); next.kind != symComma {
				return end
			}
		}
		arrow = arrow || y.kind == symArrow || y.kind == symBadArrow
	}
}

// positional parses the transition.
func (tr *Transition) positional(d *decoder, a Arg) {
	p := transitionParser{d: d, t: a.Value}
	p.next()
	if p.event(tr) && p.sources(tr) && p.arrow() {
		p.target(tr)
	}
}

type transitionParser struct {
	d *decoder
	t Text
	y sym
}

func (p *transitionParser) next() { p.y = nextSym(p.t.S, p.y.to) }

func (p *transitionParser) text() Text { return p.t.Slice(p.y.from, p.y.to) }

// fail reports at the current symbol.
func (p *transitionParser) fail(code diag.Code, format string, args ...any) *diag.Diagnostic {
	p.d.add(diag.New(code, p.t.At(p.y.from), format, args...))
	return &p.d.diags[len(p.d.diags)-1]
}

// wanted reports what was expected in place of the current symbol.
func (p *transitionParser) wanted(what string) bool {
	switch p.y.kind {
	case symEnd:
		p.fail(diag.CodeTransitionSyntax, "%s expected at the end of the transition", what).Hint = transitionHint
	case symBadArrow:
		p.fail(diag.CodeTransitionSyntax, "%s expected, found %q", what, p.text().S).Hint = "write ->"
	default:
		p.fail(diag.CodeTransitionSyntax, "%s expected, found %q", what, p.text().S).Hint = transitionHint
	}
	return false
}

const transitionHint = "write Event A,B -> C, Event * - A,B -> C, or Event A,B -> :to for a target that the caller names"

// event takes everything up to a space, so that a bad name is shown whole.
func (p *transitionParser) event(tr *Transition) bool {
	if p.y.kind == symEnd || p.y.kind == symArrow || p.y.kind == symBadArrow || p.y.kind == symStar {
		return p.wanted("event")
	}
	s := p.t.S
	end := p.y.from
	for end < len(s) && !isBlank(s[end]) {
		end++
	}
	name, ok := p.d.identifier(p.t.Slice(p.y.from, end), "event")
	tr.Event = name
	p.y.to = end
	p.next()
	return ok
}

func (p *transitionParser) sources(tr *Transition) bool {
	if p.y.kind != symStar {
		return p.states(&tr.Sources)
	}
	tr.Wildcard = &Wildcard{Pos: p.t.At(p.y.from)}
	p.next()
	switch p.y.kind {
	case symMinus:
		p.next()
		return p.states(&tr.Wildcard.Except)
	case symComma, symWord:
		return p.mixed()
	}
	return true
}

// states parses a list up to the arrow.
func (p *transitionParser) states(list *[]Elem) bool {
	seen := make(map[string]model.Pos)
	for {
		if p.y.kind == symStar {
			return p.mixed()
		}
		if p.y.kind != symWord {
			return p.wanted("state")
		}
		e, ok := p.d.constant(p.text(), "state")
		if !ok {
			return false
		}
		if first, twice := seen[e.Text]; twice {
			p.d.add(diag.New(diag.CodeRepeatedArgument, e.Pos, "state %s is given twice", e.Text).WithRelated(first, "it is here first"))
		} else {
			seen[e.Text] = e.Pos
			*list = append(*list, e)
		}
		if p.next(); p.y.kind != symComma {
			return true
		}
		p.next()
	}
}

func (p *transitionParser) mixed() bool {
	p.fail(diag.CodeMixedWildcard, "* stands for every state and can't be listed with others").Hint =
		"to leave states out write * - A,B"
	return false
}

func (p *transitionParser) arrow() bool {
	switch p.y.kind {
	case symArrow:
		p.next()
		return true
	case symWord:
		p.fail(diag.CodeTransitionSyntax, "-> expected, found %q", p.text().S).Hint = "separate states by commas: A,B -> C"
		return false
	}
	return p.wanted("->")
}

func (p *transitionParser) target(tr *Transition) {
	switch p.y.kind {
	case symStar:
		p.fail(diag.CodeWildcardTarget, "a transition can't lead to *").Hint = "name the state that the event leads to, or write -> :to to let the caller name it"
		return
	case symParam:
		t := p.text()
		name, ok := p.d.parameter(t.Slice(1, len(t.S)))
		tr.Param = name
		if ok {
			p.end()
		}
		return
	case symWord:
	default:
		p.wanted("target state")
		return
	}
	e, ok := p.d.constant(p.text(), "state")
	if !ok {
		return
	}
	tr.Target = e
	p.end()
}

// end is what must follow the target: nothing.
func (p *transitionParser) end() {
	if p.next(); p.y.kind == symComma {
		p.fail(diag.CodeTransitionSyntax, "a transition leads to one state").Hint = "use one event per target"
	} else if p.y.kind != symEnd {
		p.wanted("end of the transition")
	}
}
