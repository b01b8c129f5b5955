//go:build linux

package servers_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/internal/servers"
)

// sqlKinds are the kinds of database servers.
var sqlKinds = []struct {
	name   string
	shared func(testing.TB) *servers.SQLServer
	own    func(testing.TB, ...servers.Option) *servers.SQLServer
	zone   string // asks for the hours between the server's time and UTC
	level  string // asks for the isolation level of a new transaction
}{
	{"postgres", servers.Postgres, servers.NewPostgres,
		"SELECT extract(timezone_hour FROM now())", "SHOW transaction_isolation"},
	{"mariadb", servers.MariaDB, servers.NewMariaDB,
		"SELECT TIMESTAMPDIFF(HOUR, UTC_TIMESTAMP(), NOW())", "SELECT LOWER(REPLACE(@@tx_isolation, '-', ' '))"},
}

func TestDatabasesOfASharedServerAreApart(t *testing.T) {
	for _, kind := range sqlKinds {
		t.Run(kind.name, func(t *testing.T) {
			s := timed(t, kind.name, func() *servers.SQLServer { return kind.shared(t) })
			a, b := s.Database(t), s.Database(t)
			if a.Name == b.Name {
				t.Fatalf("two databases named %s", a.Name)
			}
			query(t, a, "CREATE TABLE t (n int)")
			query(t, b, "CREATE TABLE t (n int)")
			query(t, a, "INSERT INTO t VALUES (1)")
			if got := query(t, b, "SELECT count(*) FROM t"); got != "0" {
				t.Errorf("the other database has %s rows", got)
			}
			if kind.shared(t) != s {
				t.Error("a second server was started")
			}
		})
	}
}

func TestDatabasesAreMadeConcurrently(t *testing.T) {
	for _, kind := range sqlKinds {
		t.Run(kind.name, func(t *testing.T) {
			s := kind.shared(t)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if _, err := s.Database(t).Query("SELECT 1"); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestDatabaseIsDroppedAtTheEndOfItsTest(t *testing.T) {
	for _, kind := range sqlKinds {
		t.Run(kind.name, func(t *testing.T) {
			s := kind.shared(t)
			var gone *servers.Database
			t.Run("inner", func(t *testing.T) { gone = s.Database(t) })
			if out, err := gone.Query("SELECT 1"); err == nil {
				t.Errorf("%s is still there: %s", gone.Name, out)
			}
		})
	}
}

func TestSharedServerRefusesToBeStopped(t *testing.T) {
	for _, kind := range sqlKinds {
		t.Run(kind.name, func(t *testing.T) {
			s := kind.shared(t)
			for name, call := range map[string]func() error{
				"Kill": s.Kill, "Restart": s.Restart, "Pause": s.Pause, "Resume": s.Resume,
			} {
				if err := call(); !errors.Is(err, servers.ErrShared) && !errors.Is(err, servers.ErrExternal) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

func TestDatabaseServerKeepsItsDataOverKillAndRestart(t *testing.T) {
	for _, kind := range sqlKinds {
		t.Run(kind.name, func(t *testing.T) {
			var pids []int
			t.Run("inner", func(t *testing.T) {
				s := timed(t, kind.name, func() *servers.SQLServer { return kind.own(t) })
				db := s.Database(t)
				query(t, db, "CREATE TABLE t (n int)")
				for _, how := range []struct {
					name string
					stop func() error
				}{{"kill", s.Kill}, {"good order", func() error { return nil }}} {
					query(t, db, "INSERT INTO t VALUES (1)")
					pids = append(pids, family(s.PID())...)
					if err := how.stop(); err != nil {
						t.Fatal(err)
					}
					if how.name == "kill" {
						if out, err := db.Query("SELECT 1"); err == nil {
							t.Fatalf("killed, it answers %s", out)
						}
					}
					timed(t, "again", func() error {
						if err := s.Restart(); err != nil {
							t.Fatal(err)
						}
						return nil
					})
				}
				if got := query(t, db, "SELECT count(*) FROM t"); got != "2" {
					t.Errorf("%s of 2 rows are left", got)
				}
				pids = append(pids, family(s.PID())...)
			})
			assertGone(t, pids)
		})
	}
}

func TestKillEndsTheWorkOfTheServerAtOnce(t *testing.T) {
	for _, kind := range sqlKinds {
		t.Run(kind.name, func(t *testing.T) {
			s := kind.own(t)
			db := s.Database(t)
			done := make(chan error, 1)
			// A busy process of Postgres doesn't notice the end of its parent.
			busy := map[string]string{"postgres": "DO 'BEGIN LOOP END LOOP; END'", "mariadb": "SELECT SLEEP(600)"}[kind.name]
			go func() {
				_, err := db.Query(busy)
				done <- err
			}()
			waitUntil(t, func() bool {
				list := map[string]string{
					"postgres": "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO %LOOP%'",
					"mariadb":  "SELECT count(*) FROM information_schema.processlist WHERE info = '" + busy + "'",
				}[kind.name]
				return query(t, db, list) == "1"
			})
			pids := family(s.PID())
			if err := s.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err == nil {
				t.Error("the query ended well")
			}
			assertGone(t, pids)
			if err := s.Kill(); err == nil {
				t.Error("a second kill found something")
			}
		})
	}
}

func TestOptionsOfDatabaseServers(t *testing.T) {
	for _, kind := range sqlKinds {
		t.Run(kind.name, func(t *testing.T) {
			s := kind.own(t, servers.TimeZone("Asia/Tokyo"), servers.Isolation("serializable"),
				servers.Setting("max_connections", "17"))
			db := s.Database(t)
			if got := query(t, db, kind.zone); got != "9" {
				t.Errorf("the server is %s hours from UTC", got)
			}
			if got := query(t, db, kind.level); got != "serializable" {
				t.Errorf("isolation level %s", got)
			}
			show := map[string]string{"postgres": "SHOW max_connections", "mariadb": "SELECT @@max_connections"}[kind.name]
			if got := query(t, db, show); got != "17" {
				t.Errorf("max_connections %s", got)
			}
		})
	}
}

func TestDSN(t *testing.T) {
	postgres := servers.Postgres(t).Database(t).At("127.0.0.1:1").With("options", "-c a=b c").With("x", "1").With("x", "2").DSN()
	if !strings.HasPrefix(postgres, "postgres://") || !strings.Contains(postgres, "@127.0.0.1:1/t_dsn_") ||
		!strings.HasSuffix(postgres, "&options=-c%20a%3Db%20c&x=2") {
		t.Error(postgres)
	}
	maria := servers.MariaDB(t).Database(t).At("127.0.0.1:1").With("clientFoundRows", "true").With("loc", "Asia/Tokyo").DSN()
	if !strings.Contains(maria, "@tcp(127.0.0.1:1)/t_dsn_") || !strings.HasSuffix(maria, "?clientFoundRows=true&loc=Asia%2FTokyo") {
		t.Error(maria)
	}
}

func query(t *testing.T, d *servers.Database, stmt string) string {
	t.Helper()
	out, err := d.Query(stmt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
