package idem_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

type receipt struct {
	ID     string
	Amount int64
	Paid   time.Time
	Lines  []string
}

func newReceipt() *receipt {
	return &receipt{ID: "r-1", Amount: 4200, Paid: time.Unix(1_700_000_000, 0).UTC(), Lines: []string{"a", "b"}}
}

var benchOp = idem.Op{Name: "example.com/shop/orders.Service.Pay", Key: []string{"orderID"}, TTL: 24 * time.Hour, Lease: 30 * time.Second, Orphan: idem.OrphanRerun}

func BenchmarkReplay(b *testing.B) {
	b.Run("idem", func(b *testing.B) {
		engine, store := idem.New(idem.GlobalScope), memstore.New()
		pay := func(ctx context.Context, orderID string, amount int64) (*receipt, error) {
			call := engine.Call(ctx, &benchOp, idem.String(orderID)).Match(idem.String(orderID), idem.Int(amount))
			return idem.Once(ctx, store, call, func(context.Context) (*receipt, error) { return newReceipt(), nil })
		}
		ctx := context.Background()
		b.ReportAllocs()
		for b.Loop() {
			if r, err := pay(ctx, "order-12345678", 4200); err != nil || r.Amount != 4200 {
				b.Fatal(r, err)
			}
		}
	})
	b.Run("byhand", func(b *testing.B) {
		type entry struct {
			mu      sync.Mutex
			expires time.Time
			data    []byte
		}
		var m sync.Map
		pay := func(orderID string) (*receipt, error) {
			v, ok := m.Load(orderID)
			if !ok {
				v, _ = m.LoadOrStore(orderID, &entry{})
			}
			e := v.(*entry)
			e.mu.Lock()
			defer e.mu.Unlock()
			if time.Now().After(e.expires) {
				data, err := json.Marshal(newReceipt())
				if err != nil {
					return nil, err
				}
				e.data, e.expires = data, time.Now().Add(24*time.Hour)
			}
			var r *receipt
			err := json.Unmarshal(e.data, &r)
			return r, err
		}
		b.ReportAllocs()
		for b.Loop() {
			if r, err := pay("order-12345678"); err != nil || r.Amount != 4200 {
				b.Fatal(r, err)
			}
		}
	})
}

func BenchmarkCall(b *testing.B) {
	engine := idem.New(idem.GlobalScope)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		call := engine.Call(ctx, &benchOp, idem.String("order-12345678")).Match(idem.String("order-12345678"), idem.Int(42))
		if call.Err() != nil {
			b.Fatal(call.Err())
		}
	}
}

func BenchmarkOwner(b *testing.B) {
	for b.Loop() {
		idem.NewOwner()
	}
}

// BenchmarkReplayBare is a replay without a result: what the engine and the store cost.
func BenchmarkReplayBare(b *testing.B) {
	engine, store := idem.New(idem.GlobalScope), memstore.New()
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		call := engine.Call(ctx, &benchOp, idem.String("order-12345678")).Match(idem.String("order-12345678"), idem.Int(42))
		if _, err := idem.Once(ctx, store, call, func(context.Context) (idem.None, error) { return idem.None{}, nil }); err != nil {
			b.Fatal(err)
		}
	}
}
