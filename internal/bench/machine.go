package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Machine describes what the results were measured on, without its name or any path.
func Machine() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d processors, %s/%s, %s", cpu(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, s := range [][]string{{"postgres", "Postgres"}, {"mariadbd", "MariaDB"}, {"redis-server", "Redis"}} {
		if v := version(s[0]); v != "" {
			fmt.Fprintf(&b, ", %s %s", s[1], v)
		}
	}
	b.WriteString("; servers on loopback with their data in memory.")
	return b.String()
}

func cpu() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, model, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return runtime.GOARCH
}

// version asks a server for its version.
func version(name string) string {
	for _, dir := range []string{"", "/usr/sbin/", "/usr/lib/postgresql/15/bin/", "/usr/lib/postgresql/16/bin/", "/usr/lib/postgresql/17/bin/"} {
		out, err := exec.Command(dir+name, "--version").Output()
		if err != nil {
			continue
		}
		for _, word := range strings.FieldsFunc(string(out), func(r rune) bool { return r == ' ' || r == '=' || r == '-' || r == '\n' }) {
			if len(word) > 1 && word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
				return word
			}
		}
	}
	return ""
}

// Modules are the peers and drivers, with their versions.
func Modules() string {
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}",
		"github.com/looplab/fsm", "github.com/qmuntal/stateless", "github.com/gofiber/fiber/v3", "github.com/ThreeDotsLabs/watermill",
		"github.com/go-redsync/redsync/v4", "github.com/bsm/redislock", "github.com/redis/go-redis/v9", "github.com/redis/rueidis",
		"github.com/jackc/pgx/v5", "github.com/go-sql-driver/mysql", "modernc.org/sqlite",
		"github.com/jmattheis/goverter", "github.com/vektra/mockery/v3", "github.com/matryer/moq",
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Split(strings.TrimSpace(string(out)), "\n"), ", ")
}
