package meter_test

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/bench/meter"
)

// TestProcessorTimeGrowsWithWork: of a process that works and of one that sleeps.
func TestProcessorTimeGrowsWithWork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip(meter.ErrNotRead)
	}
	used := func(script string) float64 {
		t.Helper()
		cmd := exec.Command("sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { // with its child, which the shell would leave behind
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		}()
		time.Sleep(300 * time.Millisecond)
		ns, err := meter.Processes(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return ns
	}
	busy, idle := used("while :; do :; done & wait"), used("sleep 9 & wait")
	if busy < 10*idle || busy < float64(20*time.Millisecond) {
		t.Errorf("a busy child is said to have used %.0f ns, an idle one %.0f ns", busy, idle)
	}
	before, err := meter.Self()
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
	}
	after, err := meter.Self()
	if err != nil || after-before < float64(5*time.Millisecond) {
		t.Errorf("50 ms of work are %.0f ns, %v", after-before, err)
	}
	if _, err := meter.Processes(os.Getpid() + 1<<28); err == nil {
		t.Error("a process that is not there has used something")
	}
}
