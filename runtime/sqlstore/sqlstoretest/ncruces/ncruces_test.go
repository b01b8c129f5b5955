package ncruces

import (
	"database/sql"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/sqlstore/sqlstoretest/sqlitedrivers"
	"github.com/ncruces/go-sqlite3/driver"
)

func TestDriver(t *testing.T) {
	sqlitedrivers.Run(t, func(path string, busy time.Duration) (*sql.DB, error) {
		q := url.Values{"_pragma": {
			"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")", "journal_mode(WAL)", "synchronous(NORMAL)",
		}}
		return driver.Open("file:" + path + "?" + q.Encode())
	})
}
