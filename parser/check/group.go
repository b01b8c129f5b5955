package check

import (
	"go/ast"
	"maps"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/load"
	"github.com/idemgen/idemgen/parser/spec"
)

// group is all the directives on one declaration.
type group struct {
	file        *load.File
	target      directive.Target
	pos         model.Pos // of the first directive
	once        *directive.Once
	fire        *directive.Fire
	machine     *directive.StateMachine
	machinePos  model.Pos
	oncePos     model.Pos
	firePos     model.Pos
	token       *directive.Token
	tokenPos    model.Pos
	lock        *directive.Lock
	lockPos     model.Pos
	unique      *directive.Unique
	uniquePos   model.Pos
	request     *directive.Request
	requestPos  model.Pos
	message     *directive.Message
	messagePos  model.Pos
	transitions []transition
	version     *directive.Version
	versionPos  model.Pos
	updates     []update
	faulty      bool // some directive has been diagnosed: do not report what is missing
}

type transition struct {
	*directive.Transition
	pos model.Pos
}

// groups collects the directives of a package by declaration, in source order.
func groups(p *load.Package) []*group {
	var out []*group
	for _, f := range p.Files {
		byDecl := map[ast.Node]*group{}
		for _, d := range f.Directives {
			key := d.Target.Node()
			if key == nil {
				continue
			}
			g := byDecl[key]
			if g == nil {
				g = &group{file: f, target: d.Target, pos: d.NamePos}
				byDecl[key] = g
				out = append(out, g)
			}
			g.add(d)
		}
	}
	return out
}

// notImported says that a package is not known where the directives stand.
func (g *group) notImported(name string) string {
	if g.inYAML() {
		return "no import is called " + name + ": " + g.importAdvice(name)
	}
	return "this file does not import a package " + name
}

// importAdvice says how to make a package known there.
func (g *group) importAdvice(name string) string {
	if g.inYAML() {
		return "add imports: {" + name + ": …} to the package"
	}
	return "import it; a blank import is enough"
}

// inYAML tells whether the directives stand in idem.yaml.
func (g *group) inYAML() bool { return filepath.Base(g.pos.File) == spec.FileName }

func (g *group) add(d directive.Attached) {
	g.faulty = g.faulty || d.Faulty
	switch args := d.Args().(type) {
	case *directive.Once:
		if g.once == nil {
			g.once, g.oncePos = args, d.NamePos
		}
	case *directive.Fire:
		if g.fire == nil {
			g.fire, g.firePos = args, d.NamePos
		}
	case *directive.Token:
		if g.token == nil {
			g.token, g.tokenPos = args, d.NamePos
		}
	case *directive.Lock:
		if g.lock == nil {
			g.lock, g.lockPos = args, d.NamePos
		}
	case *directive.Unique:
		if g.unique == nil {
			g.unique, g.uniquePos = args, d.NamePos
		}
	case *directive.Request:
		if g.request == nil {
			g.request, g.requestPos = args, d.NamePos
		}
	case *directive.Message:
		if g.message == nil {
			g.message, g.messagePos = args, d.NamePos
		}
	case *directive.StateMachine:
		if g.machine == nil {
			g.machine, g.machinePos = args, d.NamePos
		}
	case *directive.Transition:
		g.transitions = append(g.transitions, transition{args, d.NamePos})
	case *directive.Version:
		if g.version == nil {
			g.version, g.versionPos = args, d.NamePos
		}
	case *directive.Update:
		g.updates = append(g.updates, update{args, d.NamePos})
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
