// Command shop answers calls, one a line on standard input, until that ends.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"

	"example.com/shop"
	_ "github.com/go-sql-driver/mysql"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/redis/go-redis/v9"
	_ "modernc.org/sqlite"
)

type call struct {
	ID      int             `json:"id"`
	Method  string          `json:"method"`
	Request shop.PayRequest `json:"request"`
}

type reply struct {
	ID     int    `json:"id"`
	Result any    `json:"result,omitempty"`
	Code   string `json:"code"`
	Error  string `json:"error,omitempty"`
}

func main() {
	driver := flag.String("driver", "", "name of the database driver")
	source := flag.String("source", "", "source name of the database")
	redisURL := flag.String("redis", "", "where the records of lease mode are; empty = in the database")
	prefix := flag.String("prefix", "", "of the keys in Redis")
	flag.Parse()
	if err := run(*driver, *source, *redisURL, *prefix); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

var dialects = map[string]idem.Dialect{"sqlite": idem.SQLite, "pgx": idem.Postgres, "mysql": idem.MySQL}

func run(driver, source, redisURL, prefix string) error {
	db, err := sql.Open(driver, source)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(8)
	store := sqlstore.New(db, dialects[driver])
	var records idem.RecordStore = store
	if redisURL != "" {
		o, err := redis.ParseURL(redisURL)
		if err != nil {
			return err
		}
		client := redis.NewClient(o)
		defer client.Close()
		if records, err = redisstore.New(context.Background(), client, redisstore.WithPrefix(prefix)); err != nil {
			return err
		}
	}
	next := shop.New(db, driver == "pgx")
	return serve(shop.NewIdempotentService(next, idem.New(idem.GlobalScope), records, store))
}

// serve answers every call in a goroutine of its own, and returns when all are
// answered.
func serve(s *shop.IdempotentService) error {
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	var wg sync.WaitGroup
	defer wg.Wait()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var c call
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return err
		}
		wg.Go(func() {
			result, err := shop.Call(context.Background(), s, c.Method, c.Request)
			r := reply{ID: c.ID, Code: idem.StatusOf(err).Code}
			if err != nil {
				r.Error = err.Error()
			} else {
				r.Result = result
			}
			mu.Lock()
			defer mu.Unlock()
			out.Encode(r)
		})
	}
	return in.Err()
}
