// Package meter reads what processes have used: the processor time of this process and
// of servers, whose work an operation's wall clock hides when several callers wait.
package meter

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ErrNotRead tells that a system does not say what its processes have used.
var ErrNotRead = errors.New("processor time of other processes is read on Linux alone")

// Self is the processor time that this process has used, in nanoseconds.
func Self() (float64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return float64(u.Utime.Nano() + u.Stime.Nano()), nil
}

// Processes is what processes and their children, alive now, have used, in nanoseconds.
// Threads that have ended are not in it: compare two readings with the same connections
// open.
func Processes(pids ...int) (float64, error) {
	var sum float64
	for _, pid := range pids {
		tasks, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*"))
		if len(tasks) == 0 {
			return 0, ErrNotRead
		}
		for _, task := range tasks {
			text, err := os.ReadFile(filepath.Join(task, "schedstat"))
			if err != nil {
				continue // ended since
			}
			used, _, _ := strings.Cut(string(text), " ")
			ns, err := strconv.ParseFloat(used, 64)
			if err != nil {
				return 0, ErrNotRead
			}
			sum += ns
			children, err := os.ReadFile(filepath.Join(task, "children"))
			if err != nil {
				continue
			}
			for field := range strings.FieldsSeq(string(children)) {
				child, err := strconv.Atoi(field)
				if err != nil {
					return 0, ErrNotRead
				}
				if used, err := Processes(child); err == nil {
					sum += used
				}
			}
		}
	}
	return sum, nil
}
