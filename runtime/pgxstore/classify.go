package pgxstore

import (
	"errors"

	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// A body that does what is the store's to do.
var (
	errCommitted = &misuse{"the body called Commit: the store commits when the body returns nil"}
	errRolled    = &misuse{"the body called Rollback: the store rolls back when the body returns an error"}
	errEnded     = &misuse{"the body ended the transaction by a statement: what it had written is committed or rolled back as that said"}
)

// misuse is an error of the program, not of the database.
type misuse struct{ text string }

func (e *misuse) Error() string { return "idem: pgxstore: " + e.text }

// classifier knows what only pgx can tell: that nothing went over the wire, so
// that a COMMIT has certainly not happened (T8).
func classifier(inner sqlstore.Classifier) sqlstore.Classifier {
	return func(err error) (sqlstore.Class, bool) {
		var own *misuse
		switch {
		case errors.As(err, &own):
			return sqlstore.ClassOther, true
		case errors.Is(err, puddle.ErrClosedPool):
			return sqlstore.ClassUnavailable, true
		}
		class, answered := inner(err)
		if errors.Is(err, pgconn.ErrConnClosed) && class == sqlstore.ClassOther {
			class = sqlstore.ClassUnavailable
		}
		return class, answered || pgconn.SafeToRetry(err)
	}
}
