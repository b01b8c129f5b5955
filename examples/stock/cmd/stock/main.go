// Stock releases the stock of flash sales under a storm of callers, and loses the
// locks in the middle of it.
//
//	stock [flags]      exit 0: every row of the table came to what it must
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/idemgen/idemgen/examples/internal/database"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errFailed: a row did not come to what it must; the table says which.
var errFailed = errors.New("failed")

// options are what the flags say.
type options struct {
	database       database.Source
	redis          string
	sales, callers int
	count          time.Duration
}

// run is the program: 0 fine, 1 the storm ended as it must not, 2 usage or failure.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	fs := flag.NewFlagSet("stock", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.database.SQLite, "sqlite", "", "`file` of the database; without -postgres and -mariadb one that is removed afterwards")
	fs.StringVar(&o.database.Postgres, "postgres", "", "`DSN` of a Postgres database: postgres://user@host/name")
	fs.StringVar(&o.database.MariaDB, "mariadb", "", "`DSN` of a MariaDB or MySQL database: user@tcp(host:3306)/name")
	fs.StringVar(&o.redis, "redis", "", "`URL` of a Redis for the locks: redis://host:6379/0 (by default they are in the database)")
	fs.IntVar(&o.sales, "sales", 5, "how many sales there are in each row")
	fs.IntVar(&o.callers, "callers", 16, "how many callers want each of them released")
	fs.DurationVar(&o.count, "count", 150*time.Millisecond, "how long the warehouse counts")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	switch err := storm(ctx, o, stdout, fs.Args()); {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return 1
	default:
		_, _ = fmt.Fprintln(stderr, "stock:", err)
		return 2
	}
}

// storm runs all rows.
func storm(ctx context.Context, o options, stdout io.Writer, rest []string) (err error) {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unknown argument %q", rest[0])
	case o.sales < 1 || o.callers < 2 || o.count < 0:
		return errors.New("want at least 1 of -sales and 2 -callers, and no negative -count")
	}
	if o.database == (database.Source{}) {
		dir, err := os.MkdirTemp("", "stock")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		o.database.SQLite = filepath.Join(dir, "stock.db")
	}
	w, err := open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	failed := false
	_, _ = fmt.Fprintf(stdout, "%28s%8s%8s%10s%10s\n", "", "sales", "calls", "counted", "released")
	for _, r := range rows() {
		got, err := w.row(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		word, ok := r.judge(got, int64(o.sales))
		failed = failed || !ok
		_, _ = fmt.Fprintf(stdout, "%28s%8d%8d%10d%10d  %s\n", r.name, o.sales, o.sales*o.callers, got.counted, got.released, word)
	}
	if failed {
		return errFailed
	}
	return nil
}
