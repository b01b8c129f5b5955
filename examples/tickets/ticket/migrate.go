package ticket

import (
	"embed"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/idemgen/idemgen/runtime/idem"
)

// schemas are the tables, emitted from the annotation: all their columns are ones that it names.
//
//go:embed schema
var schemas embed.FS

// Migrate makes the tables unless the last of them is there. Call it once, before several processes start. MySQL commits each statement by itself: who interrupts it there drops the table tickets first.
func Migrate(db *gorm.DB, d idem.Dialect) error {
	if db.Migrator().HasTable(&Step{}) {
		return nil
	}
	text, err := schemas.ReadFile("schema/" + d.String() + ".sql")
	if err != nil {
		return fmt.Errorf("ticket: schema: %w", err)
	}
	return db.Transaction(func(tx *gorm.DB) error {
		for stmt := range strings.SplitSeq(string(text), ";\n") { // no statement of the file has this inside
			if strings.TrimSpace(stmt) == "" {
				continue
			}
			if _, err := tx.Statement.ConnPool.ExecContext(tx.Statement.Context, stmt); err != nil {
				return fmt.Errorf("ticket: schema: %w", err)
			}
		}
		return nil
	})
}
