package sqlstore

import (
	"bytes"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Every text on tokens and locks compiles in every dialect, binds as many values as
// it has placeholders, and names its tables.
func TestTokenAndLockStatementsOfEveryDialect(t *testing.T) {
	for i := range dialects {
		d := &dialects[i]
		opts := []Option{WithTable("shop.r"), WithTokenTable("shop.t"), WithLockTable("shop.l")}
		tokens, locks := NewTokens(nil, d.id, opts...), NewLocks(nil, d.id, opts...)
		for name, c := range map[string]struct {
			st     statement
			tables string
		}{
			"issue": {tokens.issue, "shop.t"}, "consume": {tokens.consume, "shop.t"}, "look up": {tokens.lookup, "shop.t"},
			"settle": {tokens.settled, "shop.t"}, "prune tokens": {tokens.clip, "shop.t"},
			"acquire": {locks.plain.acquire, "shop.l"}, "look": {locks.plain.look, "shop.l"},
			"acquire and check": {locks.checked.acquire, "shop.l shop.r"}, "look at both": {locks.checked.look, "shop.l shop.r"},
			"renew": {locks.extend, "shop.l"}, "release": {locks.free, "shop.l"}, "prune locks": {locks.clip, "shop.l"},
		} {
			for _, table := range []string{"shop.r", "shop.t", "shop.l"} {
				if strings.Contains(c.st.text, d.quoted(parseTable(table))) != strings.Contains(c.tables, table) {
					t.Errorf("%v: %s: %s", d.id, name, c.st.text)
				}
			}
			if strings.ContainsAny(c.st.text, "{}") || !d.numbered && strings.Count(c.st.text, "?") != len(c.st.args) {
				t.Errorf("%v: %s: %d values for %s", d.id, name, len(c.st.args), c.st.text)
			}
		}
	}
}

// What a row of a token means, by state and what is left of its times.
func TestLaw_X2_TokenRows(t *testing.T) {
	us := func(n int64) *int64 { return &n }
	me, other := idem.Owner{1}, idem.Owner{2}
	key := [32]byte{3}
	ask := idem.Consumption{Binding: idem.Binding{9}, Owner: me, Key: idem.Key{Hash: key}, Retake: true}
	row := func(state int64, owner idem.Owner, valid, lease, known *int64) *tokenRow {
		binding := idem.Binding{9}
		return &tokenRow{binding: binding[:], owner: owner[:], keyHash: key[:], state: us(state), fence: us(7), validLeft: valid, leaseLeft: lease, knownLeft: known}
	}
	for name, c := range map[string]struct {
		row  *tokenRow
		want idem.TokenStatus
	}{
		"may be consumed by now":   {row(tokenIssued, other, us(1), nil, us(2)), 0},
		"ended":                    {row(tokenIssued, other, us(0), nil, us(2)), idem.TokenExpired},
		"not remembered":           {row(tokenFinished, other, us(0), nil, us(0)), idem.TokenUnknown},
		"remembered for ever":      {row(tokenFinished, other, us(-5), us(-5), nil), idem.TokenFinished},
		"burned":                   {row(tokenBurned, other, us(1), us(1), us(1)), idem.TokenBurned},
		"ours":                     {row(tokenConsumed, me, us(-1), us(-1), us(1)), idem.TokenConsumed},
		"runs past its end":        {row(tokenConsumed, other, us(-1), us(1), us(1)), idem.TokenRunning},
		"held past its end":        {row(tokenConsumed, other, us(0), us(0), us(1)), idem.TokenHeld},
		"may be taken over by now": {row(tokenConsumed, other, us(1), us(0), us(1)), 0},
	} {
		if got := c.row.found(&ask); got.Status != c.want {
			t.Errorf("%s: %v, want %v", name, got.Status, c.want)
		}
	}
	stolen := ask
	stolen.Binding[31]++
	if got := row(tokenFinished, other, us(1), us(1), us(1)).found(&stolen); got != (idem.TokenFound{Status: idem.TokenMismatch}) {
		t.Errorf("a wrong presenter hears %+v", got)
	}
}

// What a row of a lock and of its record means.
func TestLaw_L3_LockRows(t *testing.T) {
	us := func(n int64) *int64 { return &n }
	me, other := idem.Owner{1}, idem.Owner{2}
	completed := row{state: int64(idem.Succeeded), codec: "json", result: []byte("1")}
	for name, c := range map[string]struct {
		row   lockRow
		check bool
		want  idem.LockStatus
	}{
		"no row":                {lockRow{}, true, 0},
		"released":              {lockRow{owner: other[:], fence: us(1)}, true, 0},
		"ended":                 {lockRow{owner: other[:], fence: us(1), left: us(0)}, true, 0},
		"busy":                  {lockRow{owner: other[:], fence: us(1), left: us(5)}, true, idem.LockBusy},
		"ours":                  {lockRow{owner: me[:], fence: us(1), left: us(5), record: completed}, true, idem.LockAcquired},
		"ours, ended":           {lockRow{owner: me[:], fence: us(1), left: us(-5)}, true, 0},
		"needless":              {lockRow{record: completed}, true, idem.LockNeedless},
		"busy and needless":     {lockRow{owner: other[:], fence: us(1), left: us(5), record: completed}, true, idem.LockNeedless},
		"busy and not asked":    {lockRow{owner: other[:], fence: us(1), left: us(5)}, false, idem.LockBusy},
		"busy, running record":  {lockRow{owner: other[:], fence: us(1), left: us(5), record: row{owner: me[:]}}, true, idem.LockBusy},
		"free, a running other": {lockRow{record: row{owner: other[:], leaseLeft: us(5)}}, true, 0},
	} {
		got := c.row.found(&idem.LockRequest{Owner: me, Check: c.check, TTL: time.Second})
		if got.Status != c.want || got.Checked != c.check {
			t.Errorf("%s: %v, checked %v, want %v", name, got.Status, got.Checked, c.want)
		}
		if c.want == idem.LockNeedless && !bytes.Equal(got.Record.Outcome.Data, completed.result) {
			t.Errorf("%s: %+v", name, got.Record)
		}
	}
}

func TestWithTxOptions_RefusesReadOnly(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a store of read-only transactions was made")
		}
	}()
	WithTxOptions(&sql.TxOptions{ReadOnly: true})
}
