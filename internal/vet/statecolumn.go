package vet

import (
	"go/ast"
	"go/constant"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// StateColumn finds SQL texts that write a state column outside its guard: constant
// strings of this package, those of concatenations too.
var StateColumn = &analysis.Analyzer{
	Name:     "statecolumn",
	Doc:      "report SQL that writes a state column around its guard\n\nA state machine's column is changed by its generated guard, which compares the state first. Another UPDATE makes transitions that the machine does not have, and reverts those that it made.",
	Run:      runStateColumn,
	Requires: []*analysis.Analyzer{guards},
}

func runStateColumn(pass *analysis.Pass) (any, error) {
	columns := pass.ResultOf[guards].(*knowledge).columns()
	if len(columns) == 0 {
		return nil, nil
	}
	r := newReporter(pass)
	for _, f := range ordinary(pass) {
		ast.Inspect(f, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			tv, ok := pass.TypesInfo.Types[e]
			if !ok || tv.Value == nil || tv.Value.Kind() != constant.String {
				return true
			}
			switch ast.Unparen(e).(type) {
			case *ast.Ident, *ast.SelectorExpr: // its text stands where it is declared
				return true
			}
			for _, w := range updates(constant.StringVal(tv.Value)) {
				for _, c := range columns {
					if sameTable(w.table, c.Table) && w.sets(c.Column) {
						r.at(e, "this writes %s.%s around %s, which compares the state first", c.Table, c.Column, c.Guard)
					}
				}
			}
			return false // its parts are parts of this text
		})
	}
	return nil, nil
}

// update is an UPDATE of a text of SQL: its table and the columns that it sets.
type update struct {
	table   string
	columns []string
}

func (u update) sets(column string) bool {
	for _, c := range u.columns {
		if strings.EqualFold(c, column) {
			return true
		}
	}
	return false
}

// sameTable compares table names: without a schema on one side the last parts count.
func sameTable(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	lastA, lastB := a[strings.LastIndexByte(a, '.')+1:], b[strings.LastIndexByte(b, '.')+1:]
	return (lastA == a || lastB == b) && strings.EqualFold(lastA, lastB)
}

// updates finds the UPDATE statements of a text.
func updates(text string) []update {
	if !strings.Contains(strings.ToUpper(text), "UPDATE") {
		return nil
	}
	words := sqlWords(text)
	var out []update
	for i := 0; i < len(words); i++ {
		if !words[i].is("UPDATE") || i > 0 && (words[i-1].is("FOR") || words[i-1].is("KEY") || words[i-1].is("ON") || words[i-1].is("DO")) {
			continue
		}
		j := i + 1
		for j < len(words) && (words[j].is("ONLY") || words[j].is("OR") || words[j].is("REPLACE") || words[j].is("IGNORE") || words[j].is("LOW_PRIORITY")) {
			j++
		}
		u := update{}
		for j < len(words) && (words[j].name || words[j].text == ".") {
			if words[j].is("SET") || words[j].is("AS") {
				break
			}
			if u.table != "" && !strings.HasSuffix(u.table, ".") && words[j].text != "." {
				break // an alias
			}
			u.table += words[j].text
			j++
		}
		for j < len(words) && !words[j].is("SET") && words[j].text != ";" {
			j++
		}
		if u.table == "" || j >= len(words) || !words[j].is("SET") {
			continue
		}
		depth, begins := 0, true
		for j++; j < len(words); j++ {
			w := words[j]
			switch {
			case w.text == "(":
				depth++
			case w.text == ")":
				depth--
			case depth == 0 && (w.is("WHERE") || w.is("FROM") || w.is("RETURNING") || w.is("ORDER") || w.is("LIMIT") || w.text == ";"), depth < 0:
				j = len(words)
				continue
			case depth == 0 && w.text == ",":
				begins = true
				continue
			case depth == 0 && w.text == ".":
				begins = true // of alias.column
				continue
			case depth == 0 && begins && w.name && j+1 < len(words) && words[j+1].text == "=":
				u.columns = append(u.columns, w.text)
			}
			begins = false
		}
		out = append(out, u)
	}
	return out
}

// sqlWord is a token: a name (unquoted), or a sign.
type sqlWord struct {
	text   string
	name   bool
	quoted bool
}

func (w sqlWord) is(keyword string) bool {
	return w.name && !w.quoted && strings.EqualFold(w.text, keyword)
}

// sqlWords parts a text into tokens; strings and comments are left out.
func sqlWords(s string) []sqlWord {
	var out []sqlWord
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(s[i:], "--"):
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return out
			}
			i += end
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i:], "*/")
			if end < 0 {
				return out
			}
			i += end + 2
		case c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return out
			}
			i += end + 2
			out = append(out, sqlWord{text: "''"})
		case c == '"' || c == '`':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 {
				return out
			}
			out = append(out, sqlWord{text: s[i+1 : i+1+end], name: true, quoted: true})
			i += end + 2
		case isWord(c):
			j := i
			for j < len(s) && isWord(s[j]) {
				j++
			}
			out = append(out, sqlWord{text: s[i:j], name: true})
			i = j
		default:
			out = append(out, sqlWord{text: string(c)})
			i++
		}
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '$'
}
