package growth

import (
	"context"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/bench/meter"
	"github.com/idemgen/idemgen/internal/bench/run"
)

// counter is one of the server's own.
type counter struct {
	title string
	query string // of a value that only grows
	write func(perOp float64) string
}

func times(v float64) string { return fmt.Sprintf("%.3f", v) }
func bytes(v float64) string { return fmt.Sprintf("%.0f B", v) }

// counters say what an operation makes the server do beside its work: read pages into
// its pool, write pages to make room, split pages, and write its log.
var counters = map[string][]counter{
	"pgx": {
		{"log", "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')", bytes},
	},
	"mysql": {
		{"pages read", status("INNODB_BUFFER_POOL_READS"), times},
		{"pages written", status("INNODB_BUFFER_POOL_PAGES_FLUSHED"), times},
		{"page splits", "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'index_page_splits'", times},
		{"log", status("INNODB_OS_LOG_WRITTEN"), bytes},
		{"waits for a row", status("INNODB_ROW_LOCK_WAITS"), times},
	},
}

func status(name string) string {
	return "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" + name + "'"
}

// figures are what meter reads: the server's processor time, and its counters.
func (d *Database) figures() []run.Figure {
	out := []run.Figure{{Name: "server's processor", Write: run.Span}}
	for _, c := range counters[d.driver] {
		out = append(out, run.Figure{Name: c.title, Write: c.write})
	}
	return out
}

func (d *Database) meter(ctx context.Context) ([]float64, error) {
	used, err := meter.Processes(d.server.PID())
	if err != nil {
		return nil, err
	}
	out := []float64{used}
	var queries []string
	for _, c := range counters[d.driver] {
		queries = append(queries, "("+c.query+")")
	}
	values := make([]float64, len(queries))
	dest := make([]any, len(queries))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := d.db.QueryRowContext(ctx, "SELECT "+strings.Join(queries, ", ")).Scan(dest...); err != nil {
		return nil, err
	}
	return append(out, values...), nil
}
