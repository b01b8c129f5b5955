package servers

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// childAttributes puts a child into a process group of its own and has the kernel
// send it the signal death when the thread that started it ends.
func childAttributes(id *identity, death syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	if id != nil {
		attr.Credential = &syscall.Credential{Uid: id.uid, Gid: id.gid}
	}
	return attr
}

// childrenOf lists the processes whose parent is pid. Postgres gives each of its
// processes a session of its own, so that a signal to the group misses them.
func childrenOf(pid int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var children []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended since
		}
		// pid (name) state parent …, and the name may hold blanks and brackets.
		_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// running tells whether a process is there and not just waiting to be buried.
func running(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	state := strings.TrimSpace(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// firstEphemeral is the first port the kernel gives to outgoing connections.
func firstEphemeral() int {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err == nil {
		if fields := strings.Fields(string(text)); len(fields) == 2 {
			if low, err := strconv.Atoi(fields[0]); err == nil {
				return low
			}
		}
	}
	return defaultEphemeral
}
