package sqlstore

import (
	"context"
	"database/sql"
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
)

// prepared keeps statements prepared on a *sql.DB, the store's own and those of guards
// that run in its transactions: parsing them costs SQLite more than running them, and
// MySQL two trips more. It is filled while no connection is held, so that a pool of one
// can't deadlock: what a transaction met first is prepared before the next one begins.
// Inside a transaction database/sql prepares a statement again only on a connection
// that hasn't seen it.
type prepared struct {
	db  *sql.DB
	off bool // nothing is prepared, see WithoutPrepared

	mu     sync.RWMutex
	stmts  map[string]*sql.Stmt
	wanted map[string]bool // met in a transaction, not prepared yet
	met    int             // how many were ever wanted
}

// mostLearned bounds the statements that are learned: guards have a few texts each,
// and a program that makes texts of its own is not to fill the server.
const mostLearned = 256

// want remembers a statement that a transaction ran.
func (p *prepared) want(text string) {
	if p.off {
		return
	}
	p.mu.RLock()
	known := p.met >= mostLearned || p.wanted[text]
	p.mu.RUnlock()
	if known {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted == nil {
		p.wanted = map[string]bool{}
	}
	if !p.wanted[text] && p.met < mostLearned {
		p.wanted[text] = true
		p.met++
	}
}

// learn prepares what was wanted. What can't be prepared runs as it is: its fault is
// told where it is run.
func (p *prepared) learn(ctx context.Context) {
	p.mu.RLock()
	nothing := len(p.wanted) == 0
	p.mu.RUnlock()
	if nothing {
		return
	}
	p.mu.Lock()
	wanted := p.wanted
	p.wanted = nil
	p.mu.Unlock()
	for text := range wanted {
		_ = p.fill(ctx, []string{text})
	}
}

// fill prepares what is still missing of the texts.
func (p *prepared) fill(ctx context.Context, texts []string) error {
	for _, text := range texts {
		if p.get(text) != nil {
			continue
		}
		stmt, err := p.db.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		if !p.put(text, stmt) {
			stmt.Close()
		}
	}
	return nil
}

// put keeps a statement, unless another caller was faster.
func (p *prepared) put(text string, stmt *sql.Stmt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stmts[text] != nil {
		return false
	}
	if p.stmts == nil {
		p.stmts = make(map[string]*sql.Stmt)
	}
	p.stmts[text] = stmt
	return true
}

func (p *prepared) get(text string) *sql.Stmt {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.stmts[text]
}

// preparedTx runs the store's statements prepared and all others as they are.
type preparedTx struct {
	tx    *sql.Tx
	stmts *prepared
}

func (d preparedTx) Exec(ctx context.Context, query string, args ...any) (idem.Result, error) {
	if stmt := d.stmts.get(query); stmt != nil {
		return asResult(d.tx.StmtContext(ctx, stmt).ExecContext(ctx, args...))
	}
	d.stmts.want(query)
	return asResult(d.tx.ExecContext(ctx, query, args...))
}

func (d preparedTx) Query(ctx context.Context, query string, args ...any) (idem.Rows, error) {
	if stmt := d.stmts.get(query); stmt != nil {
		return asRows(d.tx.StmtContext(ctx, stmt).QueryContext(ctx, args...))
	}
	d.stmts.want(query)
	return asRows(d.tx.QueryContext(ctx, query, args...))
}

// preparedDB does the same outside any transaction, and prepares what it meets.
type preparedDB struct{ stmts *prepared }

func (d preparedDB) Exec(ctx context.Context, query string, args ...any) (idem.Result, error) {
	if d.stmts.off {
		return asResult(d.stmts.db.ExecContext(ctx, query, args...))
	}
	if err := d.stmts.fill(ctx, []string{query}); err != nil {
		return nil, err
	}
	return asResult(d.stmts.get(query).ExecContext(ctx, args...))
}

func (d preparedDB) Query(ctx context.Context, query string, args ...any) (idem.Rows, error) {
	if d.stmts.off {
		return asRows(d.stmts.db.QueryContext(ctx, query, args...))
	}
	if err := d.stmts.fill(ctx, []string{query}); err != nil {
		return nil, err
	}
	return asRows(d.stmts.get(query).QueryContext(ctx, args...))
}
