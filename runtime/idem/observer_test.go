package idem_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestLaw_X4_LogsCarryNoResult(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	engine, store := idem.New(idem.GlobalScope, idem.WithObserver(idem.NewSlogObserver(logger))), memstore.New()
	op := idem.Op{Name: "x/shop.Service.Pay", Orphan: idem.OrphanRerun}
	run := func(amount int, err error) {
		call := engine.Call(context.Background(), &op, idem.String("O-1")).Match(idem.Int(amount))
		_, _ = idem.Once(context.Background(), store, call, func(context.Context) (string, error) { return "card 4111-1111", err })
	}
	run(1, errBiz)
	run(1, nil)
	run(1, nil)
	run(2, nil)
	text := out.String()
	for _, want := range []string{`"event":"released"`, `"error":"declined"`, `"event":"executed"`, `"event":"replayed"`, `"event":"key_reused"`, `"level":"WARN"`, `"op":"x/shop.Service.Pay"`, `shop.Service.Pay O-1#`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "4111") {
		t.Errorf("a result was logged:\n%s", text)
	}
	idem.NewSlogObserver(nil).Observe(context.Background(), idem.Event{Kind: idem.EventReplayed})
}

func TestLaw_Allocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	engine, store := idem.New(idem.GlobalScope), memstore.New()
	ctx := context.Background()
	call := func() idem.Call {
		return engine.Call(ctx, &benchOp, idem.String("order-12345678")).Match(idem.String("order-12345678"), idem.Int(42))
	}
	if n := testing.AllocsPerRun(100, func() { call() }); n > 1 { // the readable key
		t.Errorf("making a call allocates %v times", n)
	}
	replay := func() {
		if _, err := idem.Once(ctx, store, call(), func(context.Context) (idem.None, error) { return idem.None{}, nil }); err != nil {
			t.Fatal(err)
		}
	}
	replay()
	if n := testing.AllocsPerRun(100, replay); n > 1 {
		t.Errorf("a replay without a result allocates %v times", n)
	}
}
