package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/examples/payment/internal/shop"
	"github.com/idemgen/idemgen/examples/payment/internal/storm"
)

// The layer law: with any one layer off, or its data lost under way, payments are orders; with all of them off they are not; each alone stops what it claims to stop.
func TestLayerLaw(t *testing.T) {
	onEach(t, func(t *testing.T, o shop.Options) {
		report, err := storm.Run(t.Context(), storm.Config{Shop: o, Orders: 6, Clicks: 8})
		if err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		if err := report.Write(&table); err != nil {
			t.Fatal(err)
		}
		t.Log("\n" + table.String())
		var stopped [5]int
		doubles := 0
		for _, row := range report.Rows {
			if fault := row.Fault(); fault != "" {
				t.Errorf("%s: %s", row.Scenario, fault)
			}
			if row.Doubles {
				doubles++
			}
			for l, n := range row.Answered {
				stopped[l] += n
			}
		}
		if doubles != 3 || len(report.Rows) != 20 {
			t.Errorf("%d rows, of which %d show that the storm bites", len(report.Rows), doubles)
		}
		for l, n := range stopped {
			if n == 0 {
				t.Errorf("layer %d stopped nothing: the storm did not try", l)
			}
		}
	})
}

// A report whose table is wrong says so by the exit code: a fault is a fault.
func TestFaults(t *testing.T) {
	good := storm.Row{Intentions: 2, Effects: 2}
	for _, c := range []struct {
		name string
		row  storm.Row
		ok   bool
	}{
		{"one each", good, true},
		{"a double", storm.Row{Intentions: 2, Effects: 3}, false},
		{"a payment is missing", storm.Row{Intentions: 2, Effects: 1}, false},
		{"several receipts", storm.Row{Intentions: 2, Effects: 2, Several: 1}, false},
		{"no receipt", storm.Row{Intentions: 2, Effects: 2, Without: 1}, false},
		{"doubles, as it must", storm.Row{Intentions: 2, Effects: 3, Doubles: true}, true},
		{"a storm that doesn't bite", storm.Row{Intentions: 2, Effects: 2, Doubles: true}, false},
	} {
		if r := (storm.Report{Rows: []storm.Row{good, c.row}}); r.OK() != c.ok {
			t.Errorf("%s: %v", c.name, r.OK())
		}
	}
}

// The command prints the table and leaves no file behind.
func TestStormCommand(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"-storm", "-orders", "2", "-clicks", "6"}, &out, &errs); code != 0 || !bytes.Contains(out.Bytes(), []byte("doubles, as it must")) {
		t.Errorf("exit %d\n%s%s", code, &out, &errs)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "payment-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
