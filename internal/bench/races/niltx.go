package races

import (
	"context"
	"database/sql"

	"github.com/idemgen/idemgen/runtime/idem"
)

// nilTx stands for the transactions that a race does not use: it has none.
type nilTx struct{ idem.TxStore[*sql.Tx] }

func (nilTx) Dialect() idem.Dialect { return idem.SQLite }

func (nilTx) Use(context.Context, *sql.Tx) idem.DB { return nil }
