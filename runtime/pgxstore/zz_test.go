package pgxstore_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

func BenchmarkZZ(b *testing.B) {
	f := newFixture(b)
	conn, _ := f.pool.Acquire(f.ctx)
	defer conn.Release()
	batch := func(qs ...string) func() {
		return func() {
			var bb pgx.Batch
			for _, q := range qs {
				bb.Queue(q)
			}
			if err := conn.SendBatch(f.ctx, &bb).Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	exec := func(q string) func() { return func() { conn.Exec(f.ctx, q) } }
	for _, c := range []struct {
		name string
		run  []func()
	}{
		{"exec begin,exec commit", []func(){exec("begin"), exec("commit")}},
		{"exec begin,select,commit", []func(){exec("begin"), exec("select 1"), exec("commit")}},
		{"batch begin,exec commit", []func(){batch("begin"), exec("commit")}},
		{"exec begin,batch commit", []func(){exec("begin"), batch("commit")}},
		{"batch begin commit", []func(){batch("begin", "commit")}},
		{"batch begin select commit", []func(){batch("begin", "select 1", "commit")}},
		{"batch begin select, batch select commit", []func(){batch("begin", "select 1"), batch("select 1", "commit")}},
		{"exec begin, batch select, batch select, exec commit", []func(){exec("begin"), batch("select 1"), batch("select 1"), exec("commit")}},
		{"exec begin;select, exec select;commit", []func(){exec("begin;select 1"), exec("select 1;commit")}},
		{"batch select", []func(){batch("select 1")}},
		{"exec select", []func(){exec("select 1")}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				for _, r := range c.run {
					r()
				}
			}
		})
	}
}
