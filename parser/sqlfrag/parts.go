package sqlfrag

import "strings"

// Assignment is one column = expression. Off is the offset of the column.
type Assignment struct {
	Column string
	Off    int
	Expr   []Token
}

// Assignments reads col = expr, col = expr. A column is a bare or quoted name
// without a table in front.
func Assignments(s string) ([]Assignment, *Error) {
	tokens, err := Scan(s)
	if err != nil {
		return nil, err
	}
	var list []Assignment
	for _, part := range split(tokens, func(t Token) bool { return t.Kind == Op && t.Text == "," }) {
		a, err := assignment(part, len(s))
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func assignment(part []Token, end int) (Assignment, *Error) {
	if len(part) > 0 {
		end = part[0].Off
	}
	p := trim(part)
	if len(p) == 0 {
		return Assignment{}, fault(end, "", "an assignment is missing: column = expression is wanted")
	}
	column := p[0]
	switch {
	case column.Kind == Word && strings.Contains(column.Text, "."):
		return Assignment{}, fault(column.Off, "leave the table out", "%s: a column is assigned without its table", column.Text)
	case column.Kind != Word && column.Kind != Name:
		return Assignment{}, fault(column.Off, `write column = expression; a reserved name stands in "quotes"`, "a column is wanted, found %s", column.written())
	}
	rest := trim(p[1:])
	if len(rest) == 0 || rest[0].Kind != Op || rest[0].Text != "=" {
		off := column.Off
		if len(rest) > 0 {
			off = rest[0].Off
		}
		return Assignment{}, fault(off, "", "= is wanted behind column %s", column.Text)
	}
	expr := trim(rest[1:])
	if len(expr) == 0 {
		return Assignment{}, fault(rest[0].Off, "", "column %s is assigned nothing", column.Text)
	}
	if err := expression(expr); err != nil {
		return Assignment{}, err
	}
	return Assignment{Column: column.Text, Off: column.Off, Expr: expr}, nil
}

// Equality is column = :param.
type Equality struct {
	Column string
	Param  string
}

// Equalities are the conditions column = :param, or :param = column, that hold
// whenever the whole predicate does: those joined by AND outside parentheses.
func Equalities(tokens []Token) []Equality {
	for _, t := range outside(tokens) {
		if isKeyword(t, "OR") || isKeyword(t, "BETWEEN") || isKeyword(t, "XOR") {
			return nil // OR binds weaker than AND; the AND of BETWEEN joins nothing
		}
	}
	var list []Equality
	for _, part := range split(tokens, func(t Token) bool { return isKeyword(t, "AND") }) {
		var p []Token
		for _, t := range part {
			if t.Kind != Space {
				p = append(p, t)
			}
		}
		if len(p) != 3 || p[1].Kind != Op || p[1].Text != "=" {
			continue
		}
		if p[0].Kind == Param {
			p[0], p[2] = p[2], p[0]
		}
		if isColumn := p[0].Kind == Name || p[0].Kind == Word && !keywords[strings.ToUpper(p[0].Text)]; isColumn && p[2].Kind == Param {
			list = append(list, Equality{Column: lastName(p[0]), Param: p[2].Text})
		}
	}
	return list
}

// Columns are the words and names that may be columns: no keywords, no functions,
// no types behind AS. Text is the name without its table.
func Columns(tokens []Token) []Token {
	var list []Token
	for i, t := range tokens {
		if t.Kind != Name && (t.Kind != Word || keywords[strings.ToUpper(t.Text)]) {
			continue
		}
		after, before := trim(tokens[i+1:]), trim(tokens[:i])
		if t.Kind == Word && len(after) > 0 && after[0].Kind == Op && after[0].Text == "(" {
			continue
		}
		if len(before) > 0 && isKeyword(before[len(before)-1], "AS") {
			continue
		}
		t.Text = lastName(t)
		list = append(list, t)
	}
	return list
}

// lastName is a column without its table.
func lastName(t Token) string {
	if t.Kind == Word {
		return t.Text[strings.LastIndex(t.Text, ".")+1:]
	}
	return t.Text
}

// written is a token as the user wrote it, more or less.
func (t Token) written() string {
	switch t.Kind {
	case Text:
		return "'" + t.Text + "'"
	case Param, Const:
		return ":" + t.Text
	}
	return t.Text
}

func isKeyword(t Token, word string) bool { return t.Kind == Word && strings.EqualFold(t.Text, word) }

// trim takes the blanks around tokens away.
func trim(tokens []Token) []Token {
	for len(tokens) > 0 && tokens[0].Kind == Space {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].Kind == Space {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// split cuts tokens at separators outside parentheses.
func split(tokens []Token, separates func(Token) bool) [][]Token {
	var parts [][]Token
	depth, from := 0, 0
	for i, t := range tokens {
		switch {
		case t.Kind == Op && t.Text == "(":
			depth++
		case t.Kind == Op && t.Text == ")":
			depth--
		case depth == 0 && separates(t):
			parts = append(parts, tokens[from:i])
			from = i + 1
		}
	}
	return append(parts, tokens[from:])
}

// outside are the tokens outside parentheses.
func outside(tokens []Token) []Token {
	var list []Token
	depth := 0
	for _, t := range tokens {
		switch {
		case t.Kind == Op && t.Text == "(":
			depth++
		case t.Kind == Op && t.Text == ")":
			depth--
		case depth == 0:
			list = append(list, t)
		}
	}
	return list
}

// keywords are the words of SQL expressions that are no columns unless quoted.
var keywords = set(`ALL AND ANY ARRAY AS ASC AT BETWEEN BINARY BY CASE CAST COLLATE CROSS CURRENT_DATE CURRENT_TIME
	CURRENT_TIMESTAMP DEFAULT DESC DISTINCT DIV ELSE END ESCAPE EXCEPT EXISTS FALSE FOR FROM GLOB GROUP HAVING ILIKE IN INNER
	INTERSECT INTERVAL IS ISNULL JOIN LEFT LIKE LIMIT LOCALTIME LOCALTIMESTAMP MATCH MOD NOT NOTNULL NULL OFFSET ON OR ORDER
	OUTER REGEXP RIGHT RLIKE SELECT SIMILAR SOME THEN TO TRUE UNION UNKNOWN USING WHEN WHERE WITH XOR ZONE`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
