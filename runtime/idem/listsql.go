package idem

import (
	"context"
	"strconv"
	"strings"
)

// list puts a statement over a list of keys together, with what it binds.
func (f *firing) list(ctx context.Context, s *ListSQL, keys []any) (string, []any, error) {
	text := listText{numbered: f.dialect == Postgres, next: 1}
	for _, n := range s.Args {
		if n != ArgKeys && n != ArgOrdinal {
			text.next++
		}
	}
	bound := make([]any, 0, len(s.Args)+2*len(keys))
	part := 0
	for _, n := range s.Args {
		if n != ArgKeys && n != ArgOrdinal {
			arg, err := f.arg(ctx, n)
			if err != nil {
				return "", nil, err
			}
			bound = append(bound, arg)
			continue
		}
		text.WriteString(s.Parts[part])
		part++
		text.keys(n, len(keys))
		if !text.numbered {
			bound = append(bound, keys...)
		}
	}
	text.WriteString(s.Parts[part])
	if text.numbered {
		bound = append(bound, keys...)
	}
	return text.String(), bound, nil
}

// listText is the text of a statement over a list of keys.
type listText struct {
	strings.Builder
	numbered bool
	next     int // number of the first key's placeholder
}

// keys writes the list, or the choice of ordinals.
func (t *listText) keys(as, n int) {
	before, between := "", ", "
	if as == ArgOrdinal {
		before, between = "WHEN ", " WHEN "
	}
	t.WriteString(before)
	for i := range n {
		if i > 0 {
			t.WriteString(between)
		}
		if t.numbered {
			t.WriteString("$" + strconv.Itoa(t.next+i))
		} else {
			t.WriteByte('?')
		}
		if as == ArgOrdinal {
			t.WriteString(" THEN " + strconv.Itoa(i+1))
		}
	}
}
