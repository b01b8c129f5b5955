package sqlstoretest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
)

// MariaDB has no deferred constraints, but a server that turns read-only refuses
// the COMMIT of a transaction that has written. That is a failed commit, and
// certainly none (T5); nothing in memory follows it (T7).
func TestLaw_T5_RefusedCommitOnMariaDB(t *testing.T) {
	base := servers.NewMariaDB(t).Database(t)
	source := mariaDB.source(base)
	admin := mariaDB.setUp(t, source, mariaDB.open(t, source), nil)
	admin.exec("CREATE USER shop IDENTIFIED BY 'secret'") // who may not write when the server is read-only
	admin.exec("GRANT ALL ON " + base.Name + ".* TO shop")
	shop := *base
	shop.User, shop.Password = "shop", "secret"
	connector, err := mariaDB.connector(mariaDB.source(&shop))
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Connector: connector}
	db := sql.OpenDB(w)
	t.Cleanup(func() { db.Close() })
	f := mariaDB.over(t, mariaDB.source(&shop), db)
	t.Run("sql.Tx", func(t *testing.T) { refusedByReadOnly(t, admin, w, sqlKind(f)) })
	t.Run("gorm", func(t *testing.T) { refusedByReadOnly(t, admin, w, gormKind(f)) })
	t.Run("bun", func(t *testing.T) { refusedByReadOnly(t, admin, w, bunKind(f)) })
}

func refusedByReadOnly[T any](t *testing.T, admin *fixture, w *wire, k kind[T]) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	id := t.Name()
	engine, op, balance := idem.New(idem.GlobalScope), idem.Op{Name: "sqlstoretest"}, 0
	pay := func() error {
		_, err := idem.OnceTx(ctx, k.store, engine.Call(ctx, &op, idem.String(id)), func(ctx context.Context, tx T) (string, error) {
			return id, errors.Join(k.write(ctx, tx, id), idem.AfterCommit(ctx, func(context.Context) { balance++ }))
		})
		return err
	}
	w.setInsteadOfCommit(func(driver.Tx) (bool, error) {
		admin.exec("SET GLOBAL read_only = 1")
		return false, nil
	})
	err := pay()
	w.setInsteadOfCommit(nil)
	admin.exec("SET GLOBAL read_only = 0")
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), ": commit: ") || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrRetryTransaction) {
		t.Errorf("a refused commit: %v", err)
	}
	if n := admin.effects(id); n != 0 || balance != 0 {
		t.Errorf("%d effects, balance %d after a refused commit", n, balance)
	}
	if err := pay(); err != nil || admin.effects(id) != 1 || balance != 1 {
		t.Errorf("afterwards: %v, %d effects, balance %d", err, admin.effects(id), balance)
	}
}
