package parser

import (
	"testing"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// A token or a lock without a database layer is a warning, which does not make the
// model incomplete.
func TestLaw_L1_AloneIsAWarning(t *testing.T) {
	for _, line := range []string{"//idem:token token=id", "//idem:lock key=id"} {
		res, diags := parse(t, module(t, "-- a.go --\npackage a\n\n"+line+"\nfunc F(id string) error { return nil }\n"))
		warnings := 0
		for _, d := range diags {
			if d.Code == diag.CodeNoDatabaseLayer && d.Warning && d.Pos.Col == 8 {
				warnings++
			}
		}
		if warnings != 1 || len(res.Packages) != 1 {
			t.Errorf("%s: %d packages\n%s", line, len(res.Packages), diag.Text(diags, ""))
		}
	}
}

// A form that joins the caller's transaction would end a token or a lock before that
// transaction ends: there is none, and its name stays free.
func TestLaw_L1_NoFormJoinsATransactionUnderALock(t *testing.T) {
	for _, c := range []struct {
		line  string
		joins bool
	}{
		{"//idem:once key=id", true}, {"//idem:message key=id", true},
		{"//idem:lock key=id", false}, {"//idem:token token=id", false},
		{"//idem:token token=id\n//idem:once key=id", false},
	} {
		res, diags := parse(t, module(t, "-- a.go --\npackage a\n\nimport \"database/sql\"\n\ntype S struct{}\n\n"+c.line+
			"\nfunc (S) F(tx *sql.Tx, id string) error { return nil }\n\nfunc (S) FTx(id string) error { return nil }\n"))
		collides := false
		for _, d := range diags {
			collides = collides || d.Code == diag.CodeNameCollision
		}
		var m *model.Method
		if len(res.Packages) == 1 && len(res.Packages[0].Services) == 1 {
			m = res.Packages[0].Services[0].Methods[0]
		}
		if m == nil || m.Joins() != c.joins || collides != c.joins || !m.DatabaseLayer() {
			t.Errorf("%s: %+v\n%s", c.line, m, diag.Text(diags, ""))
		}
	}
}
