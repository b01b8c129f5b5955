//go:build cgo

package mattn

import (
	"database/sql"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/sqlstore/sqlstoretest/sqlitedrivers"
	_ "github.com/mattn/go-sqlite3"
)

func TestDriver(t *testing.T) {
	sqlitedrivers.Run(t, func(path string, busy time.Duration) (*sql.DB, error) {
		q := url.Values{
			"_busy_timeout": {strconv.FormatInt(busy.Milliseconds(), 10)}, "_journal_mode": {"WAL"}, "_synchronous": {"NORMAL"},
		}
		return sql.Open("sqlite3", "file:"+path+"?"+q.Encode())
	})
}
