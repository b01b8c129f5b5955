package sqlstore

import (
	"strconv"
	"strings"
	"testing"
)

// Every text of every dialect compiles, binds as many values as it has
// placeholders, and leaves no name unreplaced.
func TestStatementsOfEveryDialect(t *testing.T) {
	for i := range dialects {
		d := &dialects[i]
		s := d.compileAll(parseTable("shop.order"))
		for name, st := range map[string]statement{
			"claim": s.claim, "claim in a transaction": s.claimTx, "read in a transaction": s.lookupTx, "peek": s.peek,
			"renew": s.renew, "complete": s.complete, "release": s.release,
			"resolve": s.resolve, "resolve to a rerun": s.resolveRerun, "look up": s.lookup, "prune": s.prune,
		} {
			if strings.ContainsAny(st.text, "{}") || !strings.Contains(st.text, d.quoted(parseTable("shop.order"))) {
				t.Errorf("%v: %s: %s", d.id, name, st.text)
			}
			if !d.numbered && strings.Count(st.text, "?") != len(st.args) {
				t.Errorf("%v: %s: %d values for %s", d.id, name, len(st.args), st.text)
			}
			if d.numbered && !strings.Contains(st.text, "$"+strconv.Itoa(len(st.args))+"::") {
				t.Errorf("%v: %s: %d values for %s", d.id, name, len(st.args), st.text)
			}
			if len(st.bind(&values{})) != len(st.args) {
				t.Errorf("%v: %s binds another number of values", d.id, name)
			}
		}
	}
}

func TestKeyText(t *testing.T) {
	for _, s := range []string{"", "orders K1", "a\x00b", "\xff\xfe", strings.Repeat("支", 200)} {
		got := keyText(s)
		if len(got) > 255 || strings.ContainsRune(got, 0) || strings.ToValidUTF8(got, "") != got {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// A table's name is nobody's business but the server's: nothing in it is taken
// for a parameter.
func TestNamesAreNotLookedInto(t *testing.T) {
	for i := range dialects {
		d := &dialects[i]
		table := tableName{"a:key {fence} {table} $1"}
		for _, st := range []statement{d.compile(d.claimTx, table), d.compile(completeSQL, table)} {
			if !strings.Contains(st.text, d.quoted(table)) {
				t.Errorf("%v: %s", d.id, st.text)
			}
		}
	}
}
