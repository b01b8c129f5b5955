package templates

import (
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/schema"
)

// sqlWords are the bare words that are no columns. Functions are told by the
// parenthesis behind them.
var sqlWords = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "NULL": true, "IS": true, "IN": true, "LIKE": true, "BETWEEN": true, "TRUE": true, "FALSE": true,
	"CASE": true, "WHEN": true, "THEN": true, "ELSE": true, "END": true, "ESCAPE": true, "INTERVAL": true, "DISTINCT": true, "FROM": true, "AS": true,
	"CURRENT_TIMESTAMP": true, "CURRENT_DATE": true, "CURRENT_TIME": true, "DAY": true, "HOUR": true, "MINUTE": true, "SECOND": true,
}

// spaceless are the tokens of a fragment without the blanks.
func spaceless(f model.Frag) model.Frag {
	var list model.Frag
	for _, tok := range f {
		if tok.Kind != model.FragSpace {
			list = append(list, tok)
		}
	}
	return list
}

func isColumn(f model.Frag, i int) bool {
	switch f[i].Kind {
	case model.FragName:
		return true
	case model.FragWord:
		return !sqlWords[strings.ToUpper(f[i].Text)] && (i+1 == len(f) || f[i+1].Text != "(")
	}
	return false
}

// fragColumns are the columns of a fragment, with the type of the parameter or the
// literal that stands nearest.
func fragColumns(f model.Frag, params []model.SQLParam) []schema.Column {
	f = spaceless(f)
	var list []schema.Column
	for i := range f {
		if isColumn(f, i) {
			list = append(list, schema.Column{Name: f[i].Text, Type: nearestType(f, i, params)})
		}
	}
	return list
}

// nearestType looks to both sides of a column, no further than AND and OR.
func nearestType(f model.Frag, at int, params []model.SQLParam) schema.Type {
	ends := func(tok model.FragToken) bool {
		return tok.Kind == model.FragWord && (strings.EqualFold(tok.Text, "AND") || strings.EqualFold(tok.Text, "OR"))
	}
	right, left := true, true
	for far := 1; far < len(f); far++ {
		right = right && at+far < len(f) && !ends(f[at+far])
		left = left && at-far >= 0 && !ends(f[at-far])
		if right {
			if typ := tokenType(f[at+far], params); typ != "" {
				return typ
			}
		}
		if left {
			if typ := tokenType(f[at-far], params); typ != "" {
				return typ
			}
		}
	}
	return schema.TypeInt
}

func tokenType(tok model.FragToken, params []model.SQLParam) schema.Type {
	switch tok.Kind {
	case model.FragNumber:
		return schema.TypeInt
	case model.FragText:
		return schema.TypeText
	case model.FragValue, model.FragParam:
		switch tokenCell(tok, params).kind {
		case cellText:
			return schema.TypeText
		case cellBytes:
			return schema.TypeBytes
		case cellNumber:
			return schema.TypeInt
		case cellBool:
			return schema.TypeBool
		case cellTime:
			return schema.TypeTime
		}
	case model.FragWord:
		switch strings.ToUpper(tok.Text) {
		case "CURRENT_TIMESTAMP", "NOW":
			return schema.TypeTime
		case "TRUE", "FALSE":
			return schema.TypeBool
		}
	}
	return ""
}

// conjuncts are the parts of a predicate between its outer ANDs.
func conjuncts(f model.Frag) []model.Frag {
	var list []model.Frag
	var cur model.Frag
	depth := 0
	between := false
	for _, tok := range spaceless(f) {
		switch word := strings.ToUpper(tok.Text); {
		case tok.Kind == model.FragOp && tok.Text == "(":
			depth++
		case tok.Kind == model.FragOp && tok.Text == ")":
			depth--
		case tok.Kind == model.FragWord && word == "BETWEEN":
			between = true
		case tok.Kind == model.FragWord && word == "AND" && depth == 0 && between:
			between = false
		case tok.Kind == model.FragWord && word == "AND" && depth == 0:
			list, cur = append(list, cur), nil
			continue
		}
		cur = append(cur, tok)
	}
	if len(cur) > 0 {
		list = append(list, cur)
	}
	return list
}

// flipped are the comparisons with their sides exchanged.
var flipped = map[string]string{"=": "=", "<>": "<>", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// solve finds a value of the one column in a comparison that makes it true. It
// knows column op value, value op column, IS [NOT] NULL and IN (…).
func solve(f model.Frag, params []model.SQLParam) (column string, cell testCell, ok bool) {
	if len(f) < 3 {
		return "", testCell{}, false
	}
	at := 0
	op := strings.ToUpper(f[1].Text)
	value := tokenCell(f[2], params)
	switch {
	case len(f) == 3 && isColumn(f, 0):
	case len(f) == 3 && isColumn(f, 2) && flipped[op] != "":
		at, op, value = 2, flipped[op], tokenCell(f[0], params)
	case isColumn(f, 0) && len(f) == 4 && op == "IS" && strings.EqualFold(f[3].Text, "NULL"):
		op = "IS NOT"
	case isColumn(f, 0) && len(f) > 4 && op == "IN":
		op, value = "=", tokenCell(f[3], params)
	default:
		return "", testCell{}, false
	}
	column = f[at].Text
	switch op {
	case "IS":
		return column, testCell{}, strings.EqualFold(f[2].Text, "NULL")
	case "IS NOT":
		return column, typeCell(nearestType(f, at, params)), true
	case "=", "<=", ">=":
		return column, value, value.kind != cellNull
	case "<", ">", "<>", "!=":
		cell, ok = beside(value, op == "<")
		return column, cell, ok
	}
	return "", testCell{}, false
}

// beside is another value: smaller, or larger.
func beside(c testCell, smaller bool) (testCell, bool) {
	switch c.kind {
	case cellNumber:
		n, err := strconv.ParseInt(c.text, 10, 64)
		if err != nil {
			return testCell{}, false
		}
		if smaller {
			n -= 2
		}
		return testCell{cellNumber, strconv.FormatInt(n+1, 10)}, true
	case cellText:
		if smaller {
			return testCell{cellText, ""}, c.text != ""
		}
		return testCell{cellText, c.text + "z"}, true
	case cellBool:
		return testCell{cellBool, strconv.FormatBool(c.text != "true")}, true
	}
	return testCell{}, false
}
