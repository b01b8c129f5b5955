package sqlstoretest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// edited is a connector whose statements are edited before they reach the server.
type edited struct {
	driver.Connector
	edit func(string) string
}

func (e edited) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := e.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &editedConn{c, e.edit}, nil
}

// editedConn knows what the stores use outside a transaction.
type editedConn struct {
	driver.Conn
	edit func(string) string
}

func (c *editedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, c.edit(query))
}

func (c *editedConn) CheckNamedValue(v *driver.NamedValue) error {
	return c.Conn.(driver.NamedValueChecker).CheckNamedValue(v)
}

// On MySQL, NOWAIT concerns the read that says it; MariaDB then waits for nothing in
// the statement, the lock's own row neither. So here the server is one that waits for
// the row, and while it does the record is completed: the look that comes after the
// wait is what counts (L3).
func TestLaw_L3_SecondLookOnMySQL(t *testing.T) {
	ctx := context.Background()
	f := mariaDB.atLevel("read committed").fixture(t)
	s := f.locks()
	r := lockOn(t, idem.String("K"))
	if err := s.Release(ctx, acquire(t, s, r, idem.LockAcquired)); err != nil {
		t.Fatal(err)
	}
	connector, err := f.on.connector(f.source)
	if err != nil {
		t.Fatal(err)
	}
	waits := sql.OpenDB(edited{connector, func(query string) string { return strings.ReplaceAll(query, " NOWAIT", "") }})
	defer waits.Close()
	answers := make(chan idem.LockFound, 1)
	err = f.store.Begin(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE idem_locks SET fence = fence + 1"); err != nil {
			return err
		}
		go func() {
			got, err := sqlstore.NewLocks(waits, idem.MySQL).Acquire(context.Background(), next(r))
			if err != nil {
				t.Error(err)
			}
			answers <- got
		}()
		time.Sleep(300 * time.Millisecond)
		f.complete(r.Key, "1")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-answers; got.Status != idem.LockNeedless {
		t.Errorf("%+v", got)
	}
}
