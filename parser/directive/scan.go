package directive

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Scan finds every //idem: directive of a file in all its comments, decodes it
// and attaches it to its declaration, in source order. What nothing claims is a
// diagnostic (G4), sorted. src must be the bytes that file was parsed from
// with comments; the file may be broken and may be incomplete. Function bodies
// must still be there: a body that was dropped makes a directive inside it
// look detached. Scan never panics and is safe for concurrent use.
func Scan(fset *token.FileSet, file *ast.File, src []byte) ([]Attached, []diag.Diagnostic) {
	if file == nil || !MayContain(src) {
		return nil, nil
	}
	s := scan{source: newSource(fset, file, src), places: places(file), first: make(map[claim]model.Pos)}
	s.generated = ast.IsGenerated(file)
	for _, c := range s.candidates() {
		s.candidate(c)
	}
	diag.Sort(s.diags)
	return s.attached, s.diags
}

type scan struct {
	*source
	places    map[*ast.CommentGroup]place
	generated bool
	attached  []Attached
	diags     []diag.Diagnostic
	// first is where a declaration's directive of a name is.
	first map[claim]model.Pos
}

// claim is a directive's name on the doc comment of a declaration.
type claim struct {
	group *ast.CommentGroup
	name  string
}

func (s *scan) add(d diag.Diagnostic) { s.diags = append(s.diags, d) }

func (s *scan) candidate(c candidate) {
	if s.generated {
		s.add(diag.New(diag.CodeGeneratedFile, s.pos(c.start), "directive in a generated file").
			WithHint("annotate a hand-written declaration, or describe the method in idem.yaml"))
		return
	}
	if c.shape != exact {
		s.add(diag.New(diag.CodeNearMiss, s.pos(c.start), "not a directive: %s", c.shape.fault()).
			WithHint("write //idem:%s at the start of a line of its own", meant(c.name)))
		return
	}
	s.directive(c)
}

// meant is the name that was probably meant.
func meant(name string) string {
	if s := diag.Suggest(name, names()); s != "" {
		return s
	}
	return name
}

// directive handles a line that begins with exactly //idem:.
func (s *scan) directive(c candidate) {
	line := s.text(c.start+len("idem:"), c.end)
	name := line.Slice(0, len(c.name))
	if !s.named(line, name) {
		return
	}
	spec := lookup(name.S)
	title := "//idem:" + name.S
	a := Attached{Name: spec.Name, Pos: s.pos(c.comment), NamePos: name.Pos(), line: line.Slice(len(name.S), len(line.S))}
	a.line.S = strings.Clone(a.line.S) // and not the whole file
	_, diags := a.decode()
	s.diags = append(s.diags, diags...)
	a.Faulty = len(diags) > 0

	in := s.commentAt(c.start)
	if !s.alone(c.comment) {
		s.add(diag.New(diag.CodeSameLine, a.NamePos, "%s stands behind code on the same line", title).
			WithHint("put it on a line of its own above the declaration"))
		return
	}
	p, ok := s.places[in.group]
	switch {
	case in.group == nil || !ok:
		s.add(s.loose(title, a.NamePos, c.comment))
	case p.other != "":
		s.add(misplaced(spec, a, p.other, p.hint))
	case !slices.Contains(spec.Targets, p.target.Kind):
		s.add(misplaced(spec, a, article(p.target.Kind.String()), ""))
	default:
		a.Target = p.target
		s.attach(spec, a, in.group)
	}
}

// named reports a line whose name is missing or unknown.
func (s *scan) named(line, name Text) bool {
	word := wordOf(name.S)
	switch {
	case name.S == "" && strings.Trim(line.S, blanks) == "":
		s.add(diag.New(diag.CodeUnknownDirective, name.Pos(), "the name of the directive is missing").
			WithHint("known are %s", strings.Join(names(), ", ")))
	case name.S == "":
		s.add(diag.New(diag.CodeNearMiss, name.Pos(), "not a directive: %s", spaceInside.fault()).
			WithHint("write //idem:%s", meant(firstWord(line.Trim().S))))
	case lookup(name.S) != nil:
		return true
	case lookup(strings.ToLower(name.S)) != nil:
		s.add(diag.New(diag.CodeNearMiss, name.Pos(), "not a directive: the name is written in lower case").
			WithHint("write //idem:%s", strings.ToLower(name.S)))
	case lookup(word) != nil:
		s.add(diag.New(diag.CodeSyntax, name.At(len(word)), "a space is missing behind //idem:%s", word))
	default:
		s.add(diag.New(diag.CodeUnknownDirective, name.Pos(), "unknown directive //idem:%s", name.S).
			WithSuggestion(name.S, names()))
	}
	return false
}

// tokenize splits the line behind the name; the positional part of a directive
// that has a grammar of its own becomes one argument.
func tokenize(spec *Spec, t Text) ([]Arg, []diag.Diagnostic) {
	if spec.head == nil {
		return Tokenize(t)
	}
	n := spec.head(t.S)
	var args []Arg
	if head := t.Slice(0, n).Trim(); head.S != "" {
		args = append(args, Arg{Value: head})
	}
	rest, diags := Tokenize(t.Slice(n, len(t.S)))
	return append(args, rest...), diags
}

// attach adds a directive to its declaration, unless it is there already.
func (s *scan) attach(spec *Spec, a Attached, group *ast.CommentGroup) {
	key := claim{group, a.Name}
	if first, twice := s.first[key]; twice && !spec.Repeatable {
		s.add(diag.New(diag.CodeRepeatedDirective, a.NamePos, "//idem:%s is given twice", a.Name).
			WithRelated(first, "it is here first"))
		return
	}
	s.first[key] = a.NamePos
	s.attached = append(s.attached, a)
}

// misplaced reports a directive on a declaration that it is not for.
func misplaced(spec *Spec, a Attached, where, hint string) diag.Diagnostic {
	if hint == "" {
		var kinds []string
		for _, k := range spec.Targets {
			kinds = append(kinds, article(k.String()))
		}
		hint = "it is for " + strings.Join(kinds, ", ")
	}
	return diag.New(diag.CodeMisplaced, a.NamePos, "//idem:%s can't stand on %s", a.Name, where).WithHint("%s", hint)
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
