//go:build darwin || freebsd

package servers

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// childAttributes puts a child into a process group of its own. The kernels of this
// family can't end it when its parent dies: Main and Close must.
func childAttributes(id *identity, _ syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if id != nil {
		attr.Credential = &syscall.Credential{Uid: id.uid, Gid: id.gid}
	}
	return attr
}

// childrenOf lists the processes whose parent is pid.
func childrenOf(pid int) []int {
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
	if err != nil {
		return nil
	}
	var children []int
	for field := range strings.FieldsSeq(string(out)) {
		if child, err := strconv.Atoi(field); err == nil {
			children = append(children, child)
		}
	}
	return children
}

// running tells whether a process is there.
func running(pid int) bool { return signalProcess(pid, 0) == nil }

// firstEphemeral is the first port the kernel gives to outgoing connections.
func firstEphemeral() int { return defaultEphemeral }
