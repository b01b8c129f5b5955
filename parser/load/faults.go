package load

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// fatal tells whether a package of the run can't be opened, and reports why,
// unless it is only that this build has no files in it. Other faults show
// where they matter: in the parser, or in a signature that can't be resolved.
func (l *loader) fatal(p *listed) bool {
	if len(p.GoFiles)+len(p.CgoFiles)+len(p.InvalidGoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
		return false
	}
	text := p.Error.Err
	if p.Dir != "" && (strings.Contains(text, "no Go files") || strings.Contains(text, "build constraints exclude all Go files")) {
		return true
	}
	l.report(diag.New(diag.CodeLoad, l.listPos(p.Error.Pos), "%s", firstLine(text)))
	return true
}

// listPos reads a position as the go command writes it: path:line:col, with a
// path that is relative to where it ran.
func (l *loader) listPos(s string) model.Pos {
	if s == "" {
		return model.Pos{}
	}
	var nums [2]int
	n := 0
	for ; n < 2; n++ {
		i := strings.LastIndexByte(s, ':')
		if i < 0 {
			break
		}
		v, err := strconv.Atoi(s[i+1:])
		if err != nil {
			break
		}
		s, nums[1], nums[0] = s[:i], nums[0], v
	}
	if !filepath.IsAbs(s) {
		s = filepath.Join(l.cfg.Dir, s)
	}
	return model.Pos{File: l.display(s), Line: nums[0], Col: nums[1]}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return withoutAdvice(strings.TrimSpace(s))
}

// oneName settles the name of a package from the hand-written files alone: a
// stale output of ours may carry another. Files that disagree are reported and
// left out.
func (l *loader) oneName(p *listed, names []string) []string {
	var keep []string
	first, firstPos := "", model.Pos{}
	for _, name := range names {
		s := l.source(filepath.Join(p.Dir, name))
		clause := s.file.Name
		switch {
		case clause.Name == "_":
			keep = append(keep, name) // broken before the package clause: reported as such
			continue
		case first == "":
			first, firstPos = clause.Name, l.pos(clause.Pos())
		case clause.Name != first:
			l.report(diag.New(diag.CodeSeveralPackages, l.pos(clause.Pos()), "package %s in a folder of package %s", clause.Name, first).
				WithRelated(firstPos, "package %s is here", first))
			continue
		}
		keep = append(keep, name)
	}
	if first != "" {
		p.Name = first
	}
	return keep
}
