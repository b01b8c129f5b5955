//go:build linux

package servers_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
)

func TestServersDieWithTheTestProcess(t *testing.T) {
	servers.Postgres(t) // without the programs, the child would fail
	servers.MariaDB(t)
	servers.Redis(t)
	cmd := exec.Command(os.Args[0])
	// What the child leaves is in a folder of this test, which the servers' user can
	// walk to.
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), childVariable+"=1", servers.EnvDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var pids []int
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if fields, ok := strings.CutPrefix(lines.Text(), "PIDS "); ok {
			for pid := range strings.FieldsSeq(fields) {
				n, err := strconv.Atoi(pid)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, family(n)...)
			}
			break
		}
	}
	if len(pids) < 3 {
		t.Fatalf("the child started %d processes", len(pids))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	assertGone(t, pids)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("%d folders, %v", len(left), err)
	}
}

// family lists a process and its children.
func family(pid int) []int {
	out, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return []int{pid}
	}
	pids := []int{pid}
	for child := range strings.FieldsSeq(string(out)) {
		if n, err := strconv.Atoi(child); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// living lists those of some processes that still run; one that only waits for its
// parent to take note of its end doesn't.
func living(pids []int) []int {
	var alive []int
	for _, pid := range pids {
		if pid <= 0 {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || syscall.Kill(pid, 0) != nil {
			continue
		}
		if _, rest, ok := strings.Cut(string(stat), ") "); ok && !strings.HasPrefix(rest, "Z") {
			alive = append(alive, pid)
		}
	}
	return alive
}

// assertGone fails when one of the processes is left. There are none when the test that
// should start them could not run.
func assertGone(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) == 0 {
		t.Skip("nothing was started")
	}
	// Ends take their time: that of a child is for init, its new parent, to hear of.
	for range 500 {
		if len(living(pids)) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	left := living(pids)
	t.Errorf("of %v, these are left: %v", pids, left)
	for _, pid := range left {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// waitUntil waits for a condition, for a minute at most.
func waitUntil(t *testing.T, met func() bool) {
	t.Helper()
	for range 3000 {
		if met() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("waited in vain")
}
