//go:build linux

package servers

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestServersNamedByVariablesAreUsedAndLeftAlone(t *testing.T) {
	ours := NewPostgres(t)
	t.Setenv(EnvPostgres, ours.admin.With("application_name", "a b").With("pool_max_conns", "4").DSN())
	maria := NewMariaDB(t)
	t.Setenv(EnvMySQL, maria.admin.With("parseTime", "true").DSN())
	redis := NewRedis(t)
	t.Setenv(EnvRedis, redis.URL())
	t.Setenv(EnvRedisCluster, redis.Addr()+", "+redis.Addr())
	t.Setenv(EnvRedisSentinel, "main@127.0.0.1:1,127.0.0.1:2")

	for name, start := range map[string]func() (*SQLServer, error){"postgres": sharedPostgres, "mariadb": sharedMariaDB} {
		s, err := start()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if out, err := s.Database(t).Query("SELECT 1"); err != nil || out != "1" {
			t.Errorf("%s: %s, %v", name, out, err)
		}
		if err := s.Kill(); !errors.Is(err, ErrExternal) || s.PID() != 0 {
			t.Errorf("%s: kill says %v, process %d", name, err, s.PID())
		}
		if err := s.close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := sharedRedis()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Do("PING"); err != nil || !errors.Is(s.Kill(), ErrExternal) || s.close() != nil {
		t.Error(err, s.Kill())
	}
	c, err := sharedCluster()
	if err != nil || len(c.Nodes) != 2 || c.Nodes[1].addr != redis.addr || c.close() != nil {
		t.Error(c, err)
	}
	p, err := sharedPair()
	if err != nil || p.Master != "main" || strings.Join(p.Sentinels, " ") != "127.0.0.1:1 127.0.0.1:2" || p.close() != nil {
		t.Error(p, err)
	}
	if ours.PID() == 0 || maria.PID() == 0 || redis.PID() == 0 {
		t.Error("a server that was not ours was ended")
	}
	t.Setenv(EnvRequire, "")
	t.Setenv(EnvNotRun, "")
	if got := end(t, func(tb testing.TB) { NewPostgres(tb) }); !strings.HasPrefix(got, "skip: NOT RUN") {
		t.Errorf("a test with a server of its own: %s", got)
	}
}

func TestDSNsOfRunningServers(t *testing.T) {
	for in, want := range map[string]string{
		"postgres://u:p%40w@h:1/d?sslmode=disable": "postgres://u:p%40w@h:1/d?sslmode=disable",
		"postgresql://u@h":                         "postgres://u@h:5432/postgres",
		"host=h user=u":                            "",
	} {
		d, err := parsePostgres(in)
		if (err != nil) != (want == "") || (err == nil && d.DSN() != want) {
			t.Errorf("%s: %+v, %v", in, d, err)
		}
	}
	for in, want := range map[string]string{
		"u:p@w/x:y@tcp(h:1)/d?loc=Asia%2FTokyo": "u:p@w/x:y@tcp(h:1)/d?loc=Asia%2FTokyo",
		"u@tcp(h)/":                             "u:@tcp(h:3306)/",
		"u:p@unix(/run/s)/":                     "u:p@unix(/run/s)/",
		"u:p@h/d":                               "",
		"nothing":                               "",
	} {
		d, err := parseMySQL(in)
		if (err != nil) != (want == "") || (err == nil && d.DSN() != want) {
			t.Errorf("%s: %+v, %v", in, d, err)
		}
	}
	if s, err := parseNATS("nats://u:p@h"); err != nil || s.URL() != "nats://u:p@h:4222" || !errors.Is(s.Kill(), ErrExternal) {
		t.Error(s, err)
	}
	if s, err := parseNATS("redis://h:1"); err == nil {
		t.Error(s, "taken for NATS")
	}
	if s, err := parseRedis("redis://:secret@h/3"); err != nil || s.URL() != "redis://:secret@h:6379/3" {
		t.Error(s, err)
	}
}

func TestWhatCannotRunIsSaid(t *testing.T) {
	_, missing := find("the-package", "idemgen-no-such-program")
	if missing == nil || !strings.Contains(missing.Error(), "the-package") {
		t.Fatal(missing)
	}
	note := filepath.Join(t.TempDir(), "note")
	t.Setenv(EnvNotRun, note)
	t.Setenv(EnvRequire, "")
	if got := end(t, func(tb testing.TB) { refuse(tb, missing) }); !strings.HasPrefix(got, "skip: NOT RUN") {
		t.Errorf("not required: %s", got)
	}
	text, err := os.ReadFile(note)
	if err != nil || !strings.Contains(string(text), t.Name()+": ") || !strings.HasSuffix(string(text), "(Debian package the-package)\n") {
		t.Errorf("noted %q, %v", text, err)
	}
	t.Setenv(EnvRequire, "1")
	if got := end(t, func(tb testing.TB) { refuse(tb, missing) }); !strings.HasPrefix(got, "fail: NOT RUN") {
		t.Errorf("required: %s", got)
	}
	t.Setenv(EnvRequire, "")
	if got := end(t, func(tb testing.TB) { refuse(tb, errors.New("other")) }); !strings.HasPrefix(got, "fail: ") {
		t.Errorf("another fault: %s", got)
	}
}

func TestOptionsThatAServerDoesNotHaveAreRefused(t *testing.T) {
	if s, err := startRedis([]Option{TimeZone("Asia/Tokyo")}); err == nil {
		t.Error("Redis took a time zone", s.close())
	}
	if s, err := startNATS([]Option{Isolation("serializable")}); err == nil {
		t.Error("NATS took an isolation level", s.close())
	}
	if s, err := startNATS([]Option{Setting("no_such_setting", "1")}); err == nil {
		t.Error("NATS took a setting that isn't there", s.close())
	} else if !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("the reason isn't told: %v", err)
	}
	if s, err := startMariaDB([]Option{TimeZone("Nowhere/Land")}); err == nil {
		t.Error("MariaDB took a zone that isn't there", s.close())
	}
	if s, err := startPostgres([]Option{Setting("no_such_setting", "1")}); err == nil {
		t.Error("Postgres took a setting that isn't there", s.close())
	} else if !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("the reason isn't told: %v", err)
	}
}

// observer is a test whose end is looked at.
type observer struct {
	testing.TB
	said string
}

func (o *observer) Helper() {}
func (o *observer) Fatalf(format string, args ...any) {
	o.said = "fail: " + format
	runtime.Goexit()
}
func (o *observer) Skipf(format string, args ...any) {
	o.said = "skip: " + format
	runtime.Goexit()
}

// end runs a test function and tells how it ended the test.
func end(t *testing.T, run func(testing.TB)) string {
	o := &observer{TB: t, said: "went on"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(o)
	}()
	<-done
	return o.said
}
