package sqlstore

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/sqlpipe"
)

// A dialect without a statement that fails in a pipeline is refused at the start.
func TestNewPipedRefusesDialectsWithoutAPipeline(t *testing.T) {
	for d, refused := range map[idem.Dialect]bool{idem.SQLite: true, idem.MySQL: true, idem.Postgres: false} {
		func() {
			defer func() {
				if got := recover() != nil; got != refused {
					t.Errorf("%v: refused %v, want %v", d, got, refused)
				}
			}()
			NewPiped(d, sqlpipe.Driver[struct{}]{})
		}()
	}
}
