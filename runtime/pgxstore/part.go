package pgxstore

import (
	"context"
	"errors"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// part is a transaction, or the part of one behind a savepoint, as the store
// talks to it: what opens and ends it goes with the statements between. It is
// the half of sqlpipe.Part that both have in common.
type part struct {
	of   bracket
	open bool
	held []held
}

// bracket is what opens and ends a part, and sends its statements.
type bracket interface {
	send(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	// queueOpen queues the statement that opens the part; opened is called when it
	// has succeeded.
	queueOpen(b *pgx.Batch)
	opened(br pgx.BatchResults)
	// alone tells that the opening statement must not share its round trip yet, and
	// shared that one has been shared well.
	alone() bool
	shared()
	// drop is the statement that ends a part in which nothing has been written, and
	// dropped is called when it has succeeded.
	drop() string
	dropped()
}

// held is a statement that waits for the end of its part.
type held struct {
	query   string
	args    []any
	explain func(error) error
}

// Open opens the part by itself, unless it is open.
func (p *part) Open(ctx context.Context) error {
	if p.open {
		return nil
	}
	var b pgx.Batch
	p.of.queueOpen(&b)
	br := p.of.send(ctx, &b)
	err := p.begin(br)
	if closeErr := br.Close(); err == nil {
		err = closeErr
	}
	return err
}

// begin reads the answer to the opening statement.
func (p *part) begin(br pgx.BatchResults) error {
	if _, err := br.Exec(); err != nil {
		return err
	}
	p.open = true
	p.of.opened(br)
	return nil
}

// Exec runs a statement in the part.
func (p *part) Exec(ctx context.Context, query string, args ...any) (idem.Result, error) {
	t, err := p.trip(ctx, query, args, false)
	if err != nil {
		return nil, err
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return result(t.rows.CommandTag().RowsAffected()), nil
}

// Query runs a statement in the part.
func (p *part) Query(ctx context.Context, query string, args ...any) (idem.Rows, error) {
	t, err := p.trip(ctx, query, args, false)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// QueryLast runs a statement, and ends the part in the same round trip.
func (p *part) QueryLast(ctx context.Context, query string, args ...any) (idem.Rows, error) {
	t, err := p.trip(ctx, query, args, true)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Later holds a statement back for the end of the part.
func (p *part) Later(query string, args []any, explain func(error) error) {
	p.held = append(p.held, held{query, args, explain})
}

// trip sends a statement, with the one that opens the part before it if need be,
// and the one that ends it behind it if it is the last.
func (p *part) trip(ctx context.Context, query string, args []any, last bool) (*trip, error) {
	if !p.open && p.of.alone() {
		if err := p.Open(ctx); err != nil {
			return nil, err
		}
	}
	var b pgx.Batch
	opens := !p.open
	if opens {
		p.of.queueOpen(&b)
	}
	b.Queue(query, args...)
	if last {
		b.Queue(p.of.drop())
	}
	br := p.of.send(ctx, &b)
	if opens {
		if err := p.begin(br); err != nil {
			br.Close()
			return nil, err
		}
	}
	rows, err := br.Query()
	if err != nil {
		br.Close()
		return nil, err
	}
	return &trip{part: p, br: br, rows: rows, last: last}, nil
}

// finish sends what was held back and the statement that ends the part, and
// tells how that was answered. When the database refuses one, those behind it
// are not carried out, and the part stays open.
func (p *part) finish(ctx context.Context, end string) (tag pgconn.CommandTag, err error) {
	var b pgx.Batch
	for _, h := range p.held {
		b.Queue(h.query, h.args...)
	}
	b.Queue(end)
	br := p.of.send(ctx, &b)
	defer func() {
		if closeErr := br.Close(); err == nil {
			err = closeErr
		}
	}()
	for _, h := range p.held {
		if _, err := br.Exec(); err != nil {
			return tag, h.told(err)
		}
	}
	return br.Exec()
}

// told is what the error of a held statement means. An error that the server did
// not give, or gave while it went down, says nothing of the statement: the one
// that ends the part was on its way, too.
func (h *held) told(err error) error {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) || answer.Severity == "FATAL" || answer.Severity == "PANIC" {
		return err
	}
	return h.explain(err)
}

// trip is the answer to a statement that may share its round trip.
type trip struct {
	part *part
	br   pgx.BatchResults
	rows pgx.Rows
	last bool
}

func (t *trip) Next() bool             { return t.rows.Next() }
func (t *trip) Scan(dest ...any) error { return t.rows.Scan(dest...) }
func (t *trip) Err() error             { return t.rows.Err() }

// Close reads the rest of the round trip, and tells whether all of it succeeded.
func (t *trip) Close() error {
	t.rows.Close()
	err := t.br.Close()
	switch {
	case err != nil:
		return err
	case t.last && t.part.open:
		t.part.open = false
		t.part.of.dropped()
	}
	t.part.of.shared()
	return nil
}
