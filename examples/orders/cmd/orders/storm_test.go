package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/storm"
)

// smallStorm has every kill point of every operation once.
func smallStorm(t *testing.T) storm.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(child, "1")
	t.Setenv("TMPDIR", t.TempDir())
	return storm.Config{
		Binary: self, Orders: 20, Duplicates: 8, Kills: 1, Servers: 2, Workers: 6,
		Limit: 2 * time.Minute, Progress: t.Output(), Stderr: t.Output(),
	}
}

// blowOnce runs a storm, logs its tables and checks that it left nothing behind.
func blowOnce(t *testing.T, cfg storm.Config) *storm.Report {
	t.Helper()
	report, err := storm.Run(beforeDeadline(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.Write(&b); err != nil {
		t.Fatal(err)
	}
	t.Log(b.String())
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "orders-storm-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("the storm left files behind: %v %v", left, err)
	}
	for _, row := range report.Rows {
		for _, point := range row.Points {
			if row.Kills[point] != cfg.Kills {
				t.Errorf("%s: %d kills landed at %s, not %d", row.Operation, row.Kills[point], point, cfg.Kills)
			}
		}
		if answered := row.Executed + row.Replayed + row.InProgress + row.Refused + row.Unknown + row.Lost; answered != row.Calls {
			t.Errorf("%s: %d calls, %d answers", row.Operation, row.Calls, answered)
		}
	}
	return report
}

func TestStormBreaksNoPromise(t *testing.T) {
	report := blowOnce(t, smallStorm(t))
	for _, f := range report.Faults {
		t.Error(f)
	}
	for _, row := range report.Rows {
		if row.Effects != row.Intentions {
			t.Errorf("%s: %d intentions, %d effects", row.Operation, row.Intentions, row.Effects)
		}
		if row.Replayed == 0 {
			t.Errorf("%s: nothing was replayed: the storm did not try", row.Operation)
		}
		if row.Operation == "NotifyBank" {
			if row.InProgress == 0 || row.Unknown == 0 {
				t.Errorf("%s: %d in progress, %d unknown: the storm did not try", row.Operation, row.InProgress, row.Unknown)
			}
		} else if row.Refused == 0 {
			t.Errorf("%s: nothing was refused: the storm did not try", row.Operation)
		}
	}
}

func TestStormFindsTheFaultWithoutTheWrappers(t *testing.T) {
	cfg := smallStorm(t)
	cfg.Unguarded = true
	report := blowOnce(t, cfg)
	for _, f := range report.Faults {
		t.Error(f)
	}
	for _, row := range report.Rows {
		if row.Effects <= row.Intentions {
			t.Errorf("%s: %d intentions, only %d effects", row.Operation, row.Intentions, row.Effects)
		}
	}
}

func TestStormEndsWithItsLimit(t *testing.T) {
	cfg := smallStorm(t)
	cfg.Orders, cfg.Limit = 5000, 300*time.Millisecond
	began := time.Now()
	_, err := storm.Run(beforeDeadline(t), cfg)
	if err == nil || !strings.Contains(err.Error(), "not over after 300ms") {
		t.Errorf("a storm over its limit: %v", err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v to end", took)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "orders-storm-*")); err != nil || len(left) > 0 {
		t.Errorf("it left files behind: %v %v", left, err)
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"help", []string{"-storm", "-help"}, 0},
		{"unknown flag", []string{"-strom"}, 2},
		{"nothing to do", []string{"-storm", "-orders", "0"}, 2},
		{"bad account", []string{"-account", "ann"}, 2},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), c.args, &out, &errs); code != c.code {
			t.Errorf("%s: exit %d, want %d: %s%s", c.name, code, c.code, &out, &errs)
		}
	}
}
