package servers

import (
	"strconv"
	"strings"
)

// countRoles counts the nodes of CLUSTER NODES that are known to be up, by role.
func countRoles(nodes string) (masters, replicas int) {
	for line := range strings.Lines(nodes) {
		fields := strings.Fields(line)
		if len(fields) < 8 || fields[7] != "connected" || strings.Contains(fields[2], "handshake") {
			continue
		}
		switch {
		case strings.Contains(fields[2], "master"):
			masters++
		case strings.Contains(fields[2], "slave"):
			replicas++
		}
	}
	return masters, replicas
}

// slotOwner finds the address of the node that CLUSTER NODES gives a slot.
func slotOwner(nodes string, slot int) string {
	for line := range strings.Lines(nodes) {
		fields := strings.Fields(line)
		for _, r := range fields[min(8, len(fields)):] {
			first, last, isRange := strings.Cut(r, "-")
			low, err := strconv.Atoi(first)
			if err != nil {
				continue
			}
			high := low
			if isRange {
				if high, err = strconv.Atoi(last); err != nil {
					continue
				}
			}
			if low <= slot && slot <= high {
				addr, _, _ := strings.Cut(fields[1], "@")
				return addr
			}
		}
	}
	return ""
}
