package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/gateway/internal/store"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// TestStoresByName: each name opens its store, and what was kept is there when it is opened again, but in memory.
func TestStoresByName(t *testing.T) {
	for name, open := range map[string]func(*testing.T) string{
		"memory":   func(*testing.T) string { return "memory" },
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "a b?.db") },
		"postgres": func(t *testing.T) string { return servers.Postgres(t).Database(t).DSN() },
		"mysql":    func(t *testing.T) string { return "mysql:" + servers.MariaDB(t).Database(t).DSN() },
		"redis":    func(t *testing.T) string { return servers.Redis(t).URL() },
	} {
		t.Run(name, func(t *testing.T) {
			address := open(t)
			op := idem.Op{Name: "test", Orphan: idem.OrphanHold}
			call := idem.New(idem.GlobalScope).Call(t.Context(), &op, idem.String(t.Name()+time.Now().String()))
			again := func() *idem.Lease {
				t.Helper()
				records, closeStore, err := store.Open(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := closeStore(); err != nil {
						t.Error(err)
					}
				}()
				lease, _, err := idem.Acquire(t.Context(), records, call)
				if err != nil {
					t.Fatal(err)
				}
				if lease != nil {
					if err := lease.Settle(idem.SettleComplete, idem.Outcome{Kind: idem.Succeeded}); err != nil {
						t.Fatal(err)
					}
				}
				return lease
			}
			if again() == nil {
				t.Error("it was there before")
			}
			if kept := again() == nil; kept != (name != "memory") {
				t.Errorf("kept: %v", kept)
			}
		})
	}
}

// TestStoresThatAreNone are refused with the reason, and without their passwords.
func TestStoresThatAreNone(t *testing.T) {
	for _, name := range []string{"", "tape:x", "sqlite:/no/such/folder/x.db", "redis://127.0.0.1:1", "postgres://u:SECRET@127.0.0.1:1/x?connect_timeout=1"} {
		records, _, err := store.Open(t.Context(), name)
		if err == nil || records != nil {
			t.Errorf("%q was opened", name)
			continue
		}
		if strings.Contains(err.Error(), "SECRET") {
			t.Error(err)
		}
	}
}
