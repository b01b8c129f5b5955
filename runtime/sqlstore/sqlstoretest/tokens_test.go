package sqlstoretest

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// tokens is a token store on the fixture's pool, with its table.
func (f *fixture) tokens(opts ...sqlstore.Option) *sqlstore.Tokens {
	f.Helper()
	s := sqlstore.NewTokens(f.db, f.on.dialect, opts...)
	if err := s.Migrate(context.Background()); err != nil {
		f.Fatal(err)
	}
	return s
}

// issue issues new tokens for a minute.
func issue(t testing.TB, s idem.TokenStore, n int) []idem.TokenID {
	t.Helper()
	g := idem.TokenGrant{TTL: time.Minute, Keep: time.Hour}
	for range n {
		g.Tokens = append(g.Tokens, idem.NewToken().ID())
	}
	if err := s.Issue(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	return g.Tokens
}

// consumption is one of a new owner.
func consumption(id idem.TokenID) idem.Consumption {
	return idem.Consumption{
		Token: id, Owner: idem.NewOwner(), Lease: time.Minute, Keep: time.Hour,
		Key: idem.Key{Hash: [32]byte{0: 0xff, 31: 3}}, Fingerprint: idem.Fingerprint{0: 1, 1: 0xff, 32: 7},
	}
}

// consume consumes and checks the status.
func consume(t testing.TB, s idem.TokenStore, c idem.Consumption, want idem.TokenStatus) idem.TokenHold {
	t.Helper()
	f, err := s.Consume(context.Background(), c)
	if err != nil || f.Status != want {
		t.Fatalf("consume: %v, %v, want %v", f.Status, err, want)
	}
	return idem.TokenHold{Token: c.Token, Owner: c.Owner, Fence: f.Fence}
}

func TestTokenStore(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		t.Parallel()
		s := d.fixture(t).tokens()
		idemtest.TestTokenStore(t, func(t *testing.T) idem.TokenStore { return s })
	})
}

// atLevel is the same database whose connections begin everything at an isolation
// level: single statements, too.
func (d *database) atLevel(name string) *database {
	other := *d
	param := [2]string{"default_transaction_isolation", name}
	if d.dialect == idem.MySQL {
		param = [2]string{"tx_isolation", "'" + map[string]string{
			"read committed": "READ-COMMITTED", "repeatable read": "REPEATABLE-READ", "serializable": "SERIALIZABLE",
		}[name] + "'"}
	}
	other.params = append([][2]string{param}, d.params...)
	return &other
}

// onDefaultLevels runs a test on both servers with each isolation level as the
// default of every connection.
func onDefaultLevels(t *testing.T, test func(t *testing.T, d *database)) {
	on(t, bothServers, func(t *testing.T, d *database) {
		for _, name := range []string{"read committed", "repeatable read", "serializable"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, d.atLevel(name))
			})
		}
	})
}

func TestTokenStoreAtEachLevel(t *testing.T) {
	onDefaultLevels(t, func(t *testing.T, d *database) {
		f := d.fixture(t)
		query := map[idem.Dialect]string{
			idem.Postgres: "SELECT CASE current_setting('transaction_isolation') WHEN '" + d.params[0][1] + "' THEN 1 ELSE 0 END",
			idem.MySQL:    "SELECT @@tx_isolation = " + d.params[0][1],
		}[d.dialect]
		if f.count(query) != 1 {
			t.Fatal("the connections are at another level")
		}
		s := f.tokens()
		idemtest.TestTokenStore(t, func(t *testing.T) idem.TokenStore { return s })
	})
}
