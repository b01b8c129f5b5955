package directive

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/model"
)

// decoded is the one directive above a function, at line 3, without faults.
func decoded[T any](t *testing.T, line string) *T {
	t.Helper()
	attached, diags := scanText(onFunc(line))
	if len(diags) > 0 || len(attached) != 1 {
		t.Fatalf("%s: %s", line, briefs(diags))
	}
	return attached[0].Args().(*T)
}

func TestLaw_C2_LayersHaveTheirDefaults(t *testing.T) {
	tok := decoded[Token](t, "//idem:token")
	if tok.Header.V != "X-Idempotent-Token" || tok.Header.Set || tok.OnFail.V != "restore" || tok.Lease.V != 30*time.Second || tok.Keep.V != 0 || tok.Alone.Set {
		t.Errorf("token: %+v", tok)
	}
	lock := decoded[Lock](t, "//idem:lock key=a")
	if lock.TTL.V != 30*time.Second || lock.Wait.V != 5*time.Second || lock.Check.Set {
		t.Errorf("lock: %+v", lock)
	}
	msg := decoded[Message](t, "//idem:message key=a")
	if msg.TTL.V != Retention(168*time.Hour) || msg.Lease.V != 30*time.Second || msg.Consumer.V != "" || msg.OnOutage.V != "closed" || msg.Orphan.V != "" {
		t.Errorf("message: %+v", msg)
	}
	req := decoded[Request](t, "//idem:request")
	if req.Header.V != "Idempotency-Key" || req.TTL.V != Retention(300*time.Second) || req.Lease.V != 30*time.Second || req.Wait.V != 0 ||
		req.Orphan.V != "hold" || req.MaxBody.V != 1<<20 || req.MaxResult.V != 1<<20 || req.Required.Set || req.Methods.Set {
		t.Errorf("request: %+v", req)
	}
}

func TestLayersKnowWhereTheyWereWritten(t *testing.T) {
	tok := decoded[Token](t, "//idem:token bind=session(ctx, 1) keep=never alone")
	if tok.Bind.V.Text != "session(ctx, 1)" || tok.Bind.Pos.Col != 19 || tok.Keep.V != Never || !tok.Alone.V || tok.Alone.KeyPos.Col != 46 {
		t.Errorf("token: %+v", tok)
	}
	lock := decoded[Lock](t, "//idem:lock key=a.b,c wait=0 check=Done")
	if len(lock.Key.Elems) != 2 || lock.Key.Elems[1].Pos.Col != 21 || lock.Wait.V != 0 || !lock.Wait.Set || lock.Check.Pos.Col != 36 {
		t.Errorf("lock: %+v", lock)
	}
	u := decoded[Unique](t, "//idem:unique index=uq_no(orders.shop, orders.no) lookup=ByNo")
	var columns []string
	for _, c := range u.Index.V.Columns {
		columns = append(columns, fmt.Sprintf("%s@%d", c.Text, c.Pos.Col))
	}
	if u.Index.V.Name != "uq_no" || !slices.Equal(columns, []string{"orders.shop@27", "orders.no@40"}) || u.Lookup.V != "ByNo" {
		t.Errorf("unique: %+v %v", u, columns)
	}
	req := decoded[Request](t, `//idem:request required methods="POST, PURGE"`)
	if !req.Required.V || len(req.Methods.Elems) != 2 || req.Methods.Elems[1] != (HTTPMethod{Text: "PURGE", Pos: model.Pos{File: "a.go", Line: 3, Col: 40}}) {
		t.Errorf("request: %+v", req.Methods)
	}
}

func TestHeadersAreTokens(t *testing.T) {
	for _, c := range []struct {
		name string
		ok   bool
	}{
		{"X", true}, {"x-idempotent-token", true}, {"!#$%&'*+-.^_`|~09azAZ", true}, {strings.Repeat("x", maxHeader), true},
		{"", false}, {"a b", false}, {"a:b", false}, {"a\r\nb", false}, {"(a)", false}, {"ä", false}, {`"a"`, false}, {"a,b", false},
		{strings.Repeat("x", maxHeader+1), false}, {"COOKIE", false}, {"idempotency-replayed", false}, {"Transfer-Encoding", false},
	} {
		if got := isFreeHeader(c.name); got != c.ok {
			t.Errorf("%.40q: %v", c.name, got)
		}
	}
}
