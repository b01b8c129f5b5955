package sqlstoretest

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// The suite must fail for a store that breaks a law. Each of these stores has one
// fault, and runs in a child process, where the suite may fail.

// txBody is a business method as a store gets it.
type txBody = func(context.Context, *sql.Tx) (idem.Outcome, error)

// faulty is a store whose methods are replaced as far as they are set.
type faulty struct {
	*sqlstore.Store
	inTx   func(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error)
	join   func(ctx context.Context, tx *sql.Tx, c idem.Claim, body txBody) (idem.Found, error)
	keep   func(ctx context.Context, c idem.Claim, o idem.Outcome) (idem.Found, error)
	lookup func(ctx context.Context, k idem.Key) (idem.Found, error)
}

func (f *faulty) InTx(ctx context.Context, c idem.Claim, body txBody) (idem.Found, error) {
	return f.inTx(ctx, c, body)
}

func (f *faulty) Join(ctx context.Context, tx *sql.Tx, c idem.Claim, body txBody) (idem.Found, error) {
	return f.join(ctx, tx, c, body)
}

func (f *faulty) Keep(ctx context.Context, c idem.Claim, o idem.Outcome) (idem.Found, error) {
	return f.keep(ctx, c, o)
}

func (f *faulty) Lookup(ctx context.Context, k idem.Key) (idem.Found, error) {
	return f.lookup(ctx, k)
}

// brokenStore names the fault that a child process runs the suite for.
const brokenStore = "SQLSTORETEST_BROKEN_STORE"

func TestSuiteFindsBrokenTxStores(t *testing.T) {
	for i, b := range faults {
		t.Run(b.name, func(t *testing.T) {
			if os.Getenv(brokenStore) != "" {
				idemtest.TestTxStore(t, func(*testing.T) idemtest.TxSubject[*sql.Tx] { return broken(t, faults[i].fault) })
				return
			}
			t.Parallel()
			laws := strings.Fields(b.laws)
			path := strings.Join([]string{t.Name(), "^(" + strings.Join(laws, "|") + ")$"}, "/")
			child := exec.Command(os.Args[0], "-test.v", "-test.run", "^"+strings.Replace(path, "/", "$/^", 1))
			child.Env = append(os.Environ(), brokenStore+"=1")
			out, err := child.CombinedOutput()
			if err == nil {
				t.Errorf("the suite passes")
			}
			for _, law := range laws {
				if !strings.Contains(string(out), "--- FAIL: "+t.Name()+"/"+law+" ") {
					t.Errorf("%s does not find it out", law)
				}
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}

// broken is a subject all of whose stores have the fault.
func broken(t *testing.T, fault func(*faulty)) idemtest.TxSubject[*sql.Tx] {
	return subjectOf(strict(t), func(f *fixture) kind[*sql.Tx] {
		k := sqlKind(f)
		s := &faulty{Store: f.store, inTx: f.store.InTx, join: f.store.Join, keep: f.store.Keep, lookup: f.store.Lookup}
		fault(s)
		k.store = s
		return k
	}, nil)
}
