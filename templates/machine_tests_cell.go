package templates

import (
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/schema"
)

// testCell is a value that a test passes or stores.
type testCell struct {
	kind cellKind
	text string // as Go writes it; of texts and bytes what they hold
}

type cellKind uint8

const (
	cellNull cellKind = iota
	cellText
	cellBytes
	cellNumber
	cellBool
	cellTime
)

// paramCell is the argument of a test for a parameter; NULL for a type whose zero
// value has to do.
func paramCell(p model.SQLParam) testCell {
	for _, tok := range p.Type {
		if tok.Kind == model.TokQual && tok.Import.Path == "time" && tok.Text == "Time" {
			return testCell{cellTime, ""}
		}
	}
	switch p.Kind {
	case model.KindString:
		return testCell{cellText, "x"}
	case model.KindBytes:
		return testCell{cellBytes, "x"}
	case model.KindInt, model.KindUint:
		return testCell{cellNumber, "2"}
	case model.KindBool:
		return testCell{cellBool, "true"}
	}
	return testCell{}
}

// typeCell is a value of a column that nothing is compared with.
func typeCell(t schema.Type) testCell {
	switch t {
	case schema.TypeText:
		return testCell{cellText, "x"}
	case schema.TypeBytes:
		return testCell{cellBytes, "x"}
	case schema.TypeInt, schema.TypeUint:
		return testCell{cellNumber, "2"}
	case schema.TypeBool:
		return testCell{cellBool, "true"}
	case schema.TypeTime:
		return testCell{cellTime, ""}
	}
	return testCell{}
}

// tokenCell is the value of one token; NULL for what has none.
func tokenCell(tok model.FragToken, params []model.SQLParam) testCell {
	switch tok.Kind {
	case model.FragParam:
		return paramCell(params[tok.Param])
	case model.FragText:
		return testCell{cellText, tok.Text}
	case model.FragNumber:
		if _, err := strconv.ParseInt(tok.Text, 10, 64); err == nil {
			return testCell{cellNumber, tok.Text}
		}
	case model.FragValue:
		switch {
		case tok.Value.Bool:
			return testCell{cellBool, tok.Value.Text}
		case tok.Value.Number:
			return testCell{cellNumber, tok.Value.Text}
		}
		return testCell{cellText, tok.Value.Text}
	case model.FragWord:
		if word := strings.ToUpper(tok.Text); word == "TRUE" || word == "FALSE" {
			return testCell{cellBool, strings.ToLower(word)}
		}
	}
	return testCell{}
}
