package directive

import (
	"bytes"
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"sort"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// source is one file: its bytes, its lines and its comments.
type source struct {
	fset  *token.FileSet
	file  *ast.File
	src   []byte
	name  string
	base  token.Pos // of offset 0, or NoPos
	lines []int     // offsets of the line starts
	// comments in source order; a comment without a group was not seen by the
	// parser.
	comments []comment
}

// comment is one comment of the file.
type comment struct {
	start, end int
	block      bool
	group      *ast.CommentGroup
}

// newSource indexes a file. src must be what it was parsed from.
func newSource(fset *token.FileSet, file *ast.File, src []byte) *source {
	s := &source{fset: fset, file: file, src: src, lines: []int{0}}
	if tf := fset.File(file.FileStart); tf != nil {
		s.name = tf.Name()
		if tf.Size() == len(src) {
			s.base = token.Pos(tf.Base())
		}
	}
	for i, c := range src {
		if c == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	for _, g := range file.Comments {
		for _, c := range g.List {
			if at, ok := s.offset(c.Pos()); ok {
				s.addComment(at, g)
			}
		}
	}
	slices.SortStableFunc(s.comments, func(a, b comment) int { return a.start - b.start })
	return s
}

// addComment adds the comment that begins at an offset.
func (s *source) addComment(at int, g *ast.CommentGroup) {
	switch {
	case bytes.HasPrefix(s.src[at:], []byte("//")):
		s.comments = append(s.comments, comment{at, lineEnd(s.src, at), false, g})
	case bytes.HasPrefix(s.src[at:], []byte("/*")):
		end := len(s.src)
		if n := bytes.Index(s.src[at+2:], []byte("*/")); n >= 0 {
			end = at + 2 + n + 2
		}
		s.comments = append(s.comments, comment{at, end, true, g})
	}
}

// offset is where a token.Pos of the file lies in src.
func (s *source) offset(p token.Pos) (int, bool) {
	if !s.base.IsValid() || !p.IsValid() || p < s.base || int(p-s.base) > len(s.src) {
		return 0, false
	}
	return int(p - s.base), true
}

// pos is the position of an offset. Line directives are not followed: a
// diagnostic shows the file that the user has to edit.
func (s *source) pos(at int) model.Pos {
	line := sort.SearchInts(s.lines, at+1)
	return model.Pos{File: s.name, Line: line, Col: at - s.lines[line-1] + 1}
}

// text is src[from:to], which must lie on one line.
func (s *source) text(from, to int) Text {
	t := NewText(string(s.src[from:to]), s.pos(from))
	if s.base.IsValid() {
		t.base = s.base + token.Pos(from)
	}
	return t
}

// alone tells whether nothing but blanks stands before at on its line.
func (s *source) alone(at int) bool {
	start := s.lines[sort.SearchInts(s.lines, at+1)-1]
	before := string(s.src[start:at])
	if start == 0 {
		before = strings.TrimPrefix(before, "\ufeff")
	}
	return strings.Trim(before, blanks+"\r") == ""
}

// candidates are the lines that really are comments.
func (s *source) candidates() []candidate {
	var found []candidate
	rescanned := false
	eachCandidate(s.src, func(c candidate) bool {
		if s.commentAt(c.start) == nil && !rescanned {
			// Inside a string, or the parser gave up before it.
			s.rescan()
			rescanned = true
		}
		in := s.commentAt(c.start)
		if in != nil && (c.shape == inBlock && in.block || c.shape != inBlock && !in.block && in.start == c.comment) {
			found = append(found, c)
		}
		return true
	})
	slices.SortStableFunc(found, func(a, b candidate) int { return a.start - b.start })
	return found
}

// commentAt is the comment that covers an offset, or nil.
func (s *source) commentAt(at int) *comment {
	i := sort.Search(len(s.comments), func(i int) bool { return s.comments[i].start > at })
	if i == 0 || at >= s.comments[i-1].end {
		return nil
	}
	return &s.comments[i-1]
}

// rescan reads the comments from the bytes; those that the parser knows keep
// their groups.
func (s *source) rescan() {
	known := s.comments
	s.comments = nil
	fset := token.NewFileSet()
	f := fset.AddFile("", 1, len(s.src))
	var sc scanner.Scanner
	sc.Init(f, s.src, func(token.Position, string) {}, scanner.ScanComments)
	for {
		p, tok, _ := sc.Scan()
		if tok == token.EOF {
			return
		}
		if tok != token.COMMENT {
			continue
		}
		at := f.Offset(p)
		var group *ast.CommentGroup
		if i := sort.Search(len(known), func(i int) bool { return known[i].start >= at }); i < len(known) && known[i].start == at {
			group = known[i].group
		}
		s.addComment(at, group)
	}
}
