//go:build linux

package servers

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOnlyAbandonedFoldersAreSwept(t *testing.T) {
	f, err := newFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.remove() })
	later := time.Now().Add(2 * sweepAge)
	if sweep(f.path, later) {
		t.Fatal("a folder in use was swept")
	}
	f.lock.Close()
	if sweep(f.path, time.Now()) {
		t.Fatal("a folder too young to tell was swept")
	}
	if !sweep(f.path, later) {
		t.Fatal("an abandoned folder was not swept")
	}
	if _, err := os.Stat(f.path); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestFoldersOthersCannotWalkToAreNotUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "closed", "open")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if walkable(dir) {
		t.Error("walked through a closed folder")
	}
	if !walkable("/usr/bin") {
		t.Error("could not walk to /usr/bin")
	}
}

func TestPortsAreBelowTheEphemeralRangeAndSetAside(t *testing.T) {
	seen := make(map[int]bool)
	for range 50 {
		p, err := newPort(true)
		if err != nil {
			t.Fatal(err)
		}
		defer p.free()
		for _, number := range []int{p.number, p.number + busDistance} {
			if seen[number] || number < lowestPort || number >= firstEphemeral() {
				t.Errorf("port %d", number)
			}
			seen[number] = true
		}
	}
	p, err := newPort(false)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(p.locks[0].Name())
	if (&port{}).take(dir, p.number) {
		t.Error("a port was set aside twice")
	}
	p.free()
	l, err := net.Listen("tcp", p.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	other := &port{}
	defer other.free()
	if other.take(dir, p.number) {
		t.Error("a port in use was set aside")
	}
}
