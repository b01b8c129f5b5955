package sqlstoretest

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
	"github.com/idemgen/idemgen/runtime/idem"
)

// The test binary runs itself as a child that stops at a given point, says so
// and waits for its SIGKILL.
const (
	crashPoint = "SQLSTORETEST_CRASH_POINT"
	crashFile  = "SQLSTORETEST_CRASH_FILE"
)

func TestMain(m *testing.M) {
	if point := os.Getenv(crashPoint); point != "" {
		runChild(point, os.Getenv(crashFile))
		os.Exit(3) // the point was never reached
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		f.Value.Set("8") // those in parallel wait for servers more than they compute
	}
	os.Exit(servers.Main(m))
}

// reached tells the parent, and ends only by its hand.
func reached() {
	fmt.Println("reached")
	select {}
}

func childClaim(mode string) idem.Claim {
	op := idem.Op{Name: "crash"}
	call := idem.New(idem.GlobalScope).Call(context.Background(), &op, idem.String("K"))
	c := idem.Claim{Key: call.Key(), Owner: idem.NewOwner(), Retention: time.Hour}
	switch mode {
	case "rerun":
		return leased(c, 100*time.Millisecond, idem.OrphanRerun)
	case "hold":
		return leased(c, 100*time.Millisecond, idem.OrphanHold)
	}
	return c
}

func runChild(point, path string) {
	ctx := context.Background()
	source := dsn(path)
	connector, err := sqliteFile.connector(source)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := &wire{Connector: connector}
	f := sqliteFile.over(nil, source, sql.OpenDB(w))
	store := f.store
	if mode, leaseMode := strings.CutPrefix(point, "lease "); leaseMode {
		if f, err := store.Claim(ctx, childClaim(mode)); err != nil || f.Status != idem.Fresh {
			fmt.Println(f.Status, err)
			return
		}
		reached()
	}
	w.setBefore(func(text string) {
		if strings.HasPrefix(text, point) {
			reached()
		}
	})
	w.setReply(func(verb string, err error) error {
		if point == "reply" && verb == "COMMIT" {
			reached()
		}
		return err
	})
	k := sqlKind(f)
	_, err = store.InTx(ctx, childClaim(""), k.body("K"))
	fmt.Println(err)
}

// kill starts a child, waits until it stopped at the point, and kills it.
func (f *fixture) kill(point string) {
	f.Helper()
	exe, err := os.Executable()
	if err != nil {
		f.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), crashPoint+"="+point, crashFile+"="+f.path())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	if line != "reached\n" {
		f.Fatalf("the child did not reach %q: %s", point, line)
	}
}

// A process is killed at every point of a transaction. After a restart a retry
// leaves exactly one effect.
func TestLaw_T1_CrashLeavesOneEffect(t *testing.T) {
	for _, c := range []struct {
		name, point string
		then        idem.ClaimStatus
	}{
		{"before the claim", "INSERT INTO \"idem_records\"", idem.Fresh},
		{"between claim and business write", "INSERT INTO effects", idem.Fresh},
		{"between business write and outcome", "UPDATE", idem.Fresh},
		{"between outcome and commit", "COMMIT", idem.Fresh},
		{"between commit and reply", "reply", idem.Done},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.kill(c.point)
			k := sqlKind(f)
			got, err := f.store.InTx(context.Background(), childClaim(""), k.body("K"))
			if err != nil || got.Status != c.then {
				t.Errorf("the retry: %v, %v, want %v", got.Status, err, c.then)
			}
			if n := f.effects("K"); n != 1 {
				t.Errorf("%d effects", n)
			}
		})
	}
}

// A process is killed while it holds a lease: the policy in the record decides.
func TestLaw_C17_CrashLeavesThePolicy(t *testing.T) {
	for _, c := range []struct {
		mode string
		then idem.ClaimStatus
	}{{"rerun", idem.Fresh}, {"hold", idem.Held}} {
		t.Run(c.mode, func(t *testing.T) {
			ctx := context.Background()
			f := newFixture(t)
			f.kill("lease " + c.mode)
			time.Sleep(200 * time.Millisecond)
			got, err := f.store.Claim(ctx, childClaim(c.mode))
			if err != nil || got.Status != c.then {
				t.Errorf("the retry: %v, %v, want %v", got.Status, err, c.then)
			}
		})
	}
}
