package check

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// valueOf is the value of a constant, or of a variable with a constant initial value.
func (m *machine) valueOf(obj types.Object) constant.Value {
	switch obj := obj.(type) {
	case *types.Const:
		if obj.Val().Kind() != constant.Unknown {
			return obj.Val()
		}
	case *types.Var:
		if e := m.initialValue(obj); e != nil {
			return m.p.Info.Types[e].Value
		}
	}
	return nil
}

// values settles what the column holds for each state, and refuses states that
// the column could not tell apart (S5). It is false when a value is not known.
func (m *machine) values() bool {
	ok := true
	m.mapping()
	byValue := map[string]*state{}
	folded := map[string]*state{}
	for _, s := range m.states {
		s.val = m.valueOf(s.obj)
		if s.val == nil {
			m.fault(diag.New(diag.CodeStateValue, s.Pos, "%s has no constant value", s.Ident).
				WithHint("declare it as a constant, or as a variable of this package with a literal value"))
			ok = false
			continue
		}
		if why := m.settleValue(s); why != "" {
			m.fault(diag.New(diag.CodeStateValue, s.Pos, "the value of %s doesn't fit a column: %s", s.Ident, why))
			ok = false
			continue
		}
		if first := byValue[s.Value]; first != nil {
			m.fault(diag.New(diag.CodeDuplicateValue, s.Pos, "%s and %s have the same value %s", first.Ident, s.Ident, s.Value).
				WithRelated(first.Pos, "%s is here", first.Ident))
			continue
		}
		byValue[s.Value] = s
		if s.val.Kind() != constant.String || s.Mapped {
			continue
		}
		fold := strings.ToLower(constant.StringVal(s.val))
		if first := folded[fold]; first != nil {
			m.fail(diag.New(diag.CodeStateValue, s.Pos, "%s and %s differ only in case, which a column of MySQL or MariaDB does not see by default", first.Ident, s.Ident).
				WithRelated(first.Pos, "%s is here", first.Ident).WithHint("give the column a binary collation").AsWarning())
			continue
		}
		folded[fold] = s
	}
	return ok
}

// maxStateBytes is what an indexed text column holds on every dialect.
const maxStateBytes = 255

// settleValue writes the value as a Go literal and as the column holds it; it
// says why the column can't hold it, or "".
func (m *machine) settleValue(s *state) string {
	switch s.val.Kind() {
	case constant.String:
		text := constant.StringVal(s.val)
		s.Value = strconv.Quote(text)
		if s.Mapped {
			return ""
		}
		s.SQL = model.SQLValue{Text: text}
		return badText(text)
	case constant.Bool:
		s.Value = strconv.FormatBool(constant.BoolVal(s.val))
		if !s.Mapped {
			s.SQL = model.SQLValue{Text: s.Value, Bool: true}
		}
	case constant.Int, constant.Float:
		v := constant.ToInt(s.val)
		if v.Kind() != constant.Int {
			return "it is not an integer"
		}
		s.Value = v.ExactString()
		if s.Mapped {
			return ""
		}
		if _, exact := constant.Int64Val(v); !exact {
			return "it is larger than 64-bit signed integers"
		}
		s.SQL = model.SQLValue{Text: s.Value, Number: true}
	default:
		return "it is not a string, an integer or a bool"
	}
	return ""
}

// order sorts the states by declaration and numbers them.
func (m *machine) order(out *model.Machine) {
	key := func(s *state) (string, token.Position) {
		return s.obj.Pkg().Path(), m.p.Fset.PositionFor(s.obj.Pos(), false)
	}
	slices.SortStableFunc(m.states, func(a, b *state) int {
		pa, a1 := key(a)
		pb, b1 := key(b)
		if own := m.p.Types.Path(); pa != pb {
			if pa == own {
				return -1
			}
			if pb == own {
				return 1
			}
			return strings.Compare(pa, pb)
		}
		return comparePos(model.PosOf(a1), model.PosOf(b1))
	})
	idents := map[string]*state{}
	for i, s := range m.states {
		s.Index = i
		out.States = append(out.States, s.State)
		if first := idents[s.Ident]; first != nil {
			m.fault(diag.New(diag.CodeNameCollision, s.Pos, "two states are called %s", s.Ident).WithRelated(first.Pos, "the first is here"))
		}
		idents[s.Ident] = s
	}
}
