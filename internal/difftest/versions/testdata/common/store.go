package shop

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"
)

// Service is the unguarded service.
type Service struct {
	db           *sql.DB
	insert, seek string
	pause        time.Duration
}

// New makes the service. Every effect takes a while, as work does.
func New(db *sql.DB, numbered bool) *Service {
	s := &Service{
		db: db, pause: 3 * time.Millisecond,
		insert: "INSERT INTO effects (op, id, version) VALUES (?, ?, ?)",
		seek:   "SELECT COUNT(*) FROM effects WHERE op = ? AND id = ?",
	}
	if numbered {
		s.insert = "INSERT INTO effects (op, id, version) VALUES ($1, $2, $3)"
		s.seek = "SELECT COUNT(*) FROM effects WHERE op = $1 AND id = $2"
	}
	return s
}

var (
	errUnknownMethod = errors.New("shop: this version has no such method")
	errNotFound      = errors.New("shop: there is no such effect")
)

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// effect is the business: a row, and a number that no other has.
func (s *Service) effect(ctx context.Context, db execer, op, id string) (string, error) {
	time.Sleep(s.pause)
	_, err := db.ExecContext(ctx, s.insert, op, id, Version)
	return rand.Text(), err
}

// find fails unless there is an effect.
func (s *Service) find(ctx context.Context, tx *sql.Tx, op, id string) error {
	var n int
	if err := tx.QueryRowContext(ctx, s.seek, op, id).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return errNotFound
	}
	return nil
}
