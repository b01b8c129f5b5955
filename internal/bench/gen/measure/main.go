// Command measure runs a command and writes to file descriptor 3 what it used, as a line
// of JSON: package gen starts it in place of the command.
//
// The kernel counts what a process had at most from its start, and a process that was
// started by a large one begins with that one's memory. This one is a few megabytes, so
// that what it reports is the command's own.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/idemgen/idemgen/internal/bench/gen/used"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(argv []string) int {
	if len(argv) == 0 {
		fmt.Fprintln(os.Stderr, "measure: no command")
		return 2
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	began := time.Now()
	err := cmd.Run()
	u := used.Used{Wall: time.Since(began)}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "measure:", err)
		return 2
	}
	u.Processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		fmt.Fprintln(os.Stderr, "measure: this system does not tell what a process used")
		return 2
	}
	u.PeakBytes = int64(usage.Maxrss)
	if runtime.GOOS != "darwin" { // which counts bytes
		u.PeakBytes *= 1024
	}
	if err := json.NewEncoder(os.NewFile(3, "report")).Encode(u); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		return 2
	}
	return cmd.ProcessState.ExitCode()
}
