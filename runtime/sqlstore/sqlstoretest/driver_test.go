package sqlstoretest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/internal/cost"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// wire stands between database/sql and a driver. It writes down every
// statement with the connection that it ran on, can stop before one, and can
// lose the reply of a COMMIT. The database behind it is the real one.
type wire struct {
	driver.Connector

	mu    sync.Mutex
	conns int
	log   []sent
	// before is called with each statement before it runs.
	before func(text string)
	// reply is asked after each statement of a transaction's frame (BEGIN,
	// COMMIT, ROLLBACK) has run; what it returns is what the caller gets.
	reply func(verb string, err error) error
	// instead may answer a COMMIT without running it (true).
	instead func(tx driver.Tx) (bool, error)
}

type sent struct {
	conn int
	text string
}

// note writes a statement down.
func (w *wire) note(conn int, text string) {
	w.mu.Lock()
	w.log = append(w.log, sent{conn, text})
	before := w.before
	w.mu.Unlock()
	if before != nil {
		before(text)
	}
}

// reset forgets what was sent.
func (w *wire) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = nil
}

// verbs returns the first words of what was sent, and on how many connections.
func (w *wire) verbs() (list []string, conns int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := map[int]bool{}
	for _, s := range w.log {
		list = append(list, verb(s.text))
		seen[s.conn] = true
	}
	return list, len(seen)
}

// verb is what a statement does, whatever form the dialect gives it.
func verb(text string) string {
	if i := strings.Index(text, "INSERT INTO"); i >= 0 && (strings.HasPrefix(text, "/*") || strings.HasPrefix(text, "WITH")) {
		text = text[i:]
	}
	return strings.Fields(text)[0]
}

// skipped takes a statement back that the driver wants prepared instead: it
// comes again.
func (w *wire) skipped(err error) {
	if err != driver.ErrSkip {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = w.log[:len(w.log)-1]
}

func (w *wire) setBefore(f func(text string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before = f
}

func (w *wire) setReply(f func(verb string, err error) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reply = f
}

func (w *wire) setInsteadOfCommit(f func(tx driver.Tx) (bool, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.instead = f
}

func (w *wire) answer(verb string, err error) error {
	w.mu.Lock()
	f := w.reply
	w.mu.Unlock()
	if f == nil {
		return err
	}
	return f(verb, err)
}

func (w *wire) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := w.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns++
	return &wiredConn{Conn: c, wire: w, id: w.conns}, nil
}

type wiredConn struct {
	driver.Conn
	wire *wire
	id   int
}

func (c *wiredConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &wiredStmt{Stmt: stmt, conn: c, text: query}, nil
}

// wiredStmt writes down each time that a prepared statement runs.
type wiredStmt struct {
	driver.Stmt
	conn *wiredConn
	text string
}

func (s *wiredStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.conn.wire.note(s.conn.id, s.text)
	return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (s *wiredStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.conn.wire.note(s.conn.id, s.text)
	return s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
}

func (c *wiredConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.wire.note(c.id, query)
	res, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	c.wire.skipped(err)
	return res, err
}

func (c *wiredConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.wire.note(c.id, query)
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
	c.wire.skipped(err)
	return rows, err
}

func (c *wiredConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.wire.note(c.id, "BEGIN")
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, opts)
	if err = c.wire.answer("BEGIN", err); err != nil {
		return nil, err
	}
	return &wiredTx{Tx: tx, conn: c}, nil
}

func (c *wiredConn) ResetSession(ctx context.Context) error {
	return c.Conn.(driver.SessionResetter).ResetSession(ctx)
}

func (c *wiredConn) IsValid() bool {
	v, has := c.Conn.(driver.Validator)
	return !has || v.IsValid()
}

func (c *wiredConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, has := c.Conn.(driver.NamedValueChecker); has {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

type wiredTx struct {
	driver.Tx
	conn *wiredConn
}

func (t *wiredTx) Commit() error {
	t.conn.wire.note(t.conn.id, "COMMIT")
	t.conn.wire.mu.Lock()
	instead := t.conn.wire.instead
	t.conn.wire.mu.Unlock()
	if instead != nil {
		if done, err := instead(t.Tx); done {
			return err
		}
	}
	return t.conn.wire.answer("COMMIT", t.Tx.Commit())
}

func (t *wiredTx) Rollback() error {
	t.conn.wire.note(t.conn.id, "ROLLBACK")
	return t.conn.wire.answer("ROLLBACK", t.Tx.Rollback())
}

// wired is a fixture whose statements are written down.
func (d *database) wired(t testing.TB, opts ...sqlstore.Option) (*fixture, *wire) {
	t.Helper()
	source := d.create(t)
	c, err := d.connector(source)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Connector: c}
	db := sql.OpenDB(w)
	t.Cleanup(func() { db.Close() })
	f := d.setUp(t, source, db, opts)
	w.reset()
	return f, w
}

// sends runs f and checks what was sent for it, all on one connection.
func (f *fixture) sends(w *wire, what string, run func(), want ...string) {
	f.Helper()
	w.reset()
	run()
	got, conns := w.verbs()
	if strings.Join(got, " ") != strings.Join(want, " ") {
		f.Errorf("%s sends %v, want %v", what, got, want)
	}
	if conns != 1 {
		f.Errorf("%s uses %d connections", what, conns)
	}
	if differs := cost.Differs(what, f.on.column(), len(got)); differs != "" {
		f.Error(differs)
	}
}

// column is the database's column in the table of costs.
func (d *database) column() cost.Store {
	return map[idem.Dialect]cost.Store{idem.SQLite: cost.SQLite, idem.Postgres: cost.Postgres, idem.MySQL: cost.MariaDB}[d.dialect]
}
