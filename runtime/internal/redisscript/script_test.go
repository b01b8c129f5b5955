package redisscript

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// commands are all that scripts use: they are in Redis since 6 and in Valkey, and each
// takes one key.
var commands = []string{"DEL", "EXISTS", "GET", "PEXPIRE", "PTTL", "SET", "TIME"}

var called = regexp.MustCompile(`redis\.(\w+)\('(\w*)'`)

// TestLaw_C8_ScriptsAskTheServersClock, and call nothing that another server lacks.
func TestLaw_C8_ScriptsAskTheServersClock(t *testing.T) {
	entries, err := files.ReadDir("lua")
	if err != nil || len(entries) < 12 {
		t.Fatal(len(entries), err)
	}
	// These compare a hold and nothing else, ask for the rest of an expiry, or write a number.
	timeless := []string{"complete.lua", "release.lua", "extend.lua", "unlock.lua", "numbers.lua"}
	for _, e := range entries {
		text := load(strings.TrimSuffix(e.Name(), ".lua")).Text
		if strings.Contains(text, "'TIME'") == slices.Contains(timeless, e.Name()) {
			t.Errorf("%s: the server's clock", e.Name())
		}
		for _, c := range called.FindAllStringSubmatch(text, -1) {
			if c[1] != "call" || !slices.Contains(commands, c[2]) {
				t.Errorf("%s: %s", e.Name(), c[0])
			}
		}
		if strings.Contains(text, "return false") || strings.Contains(text, "return nil") {
			t.Errorf("%s answers nil, which costs clients dearly", e.Name())
		}
	}
}

// TestLaw_C11_AnswersAreNotTrusted: what is cut off or no answer at all is an error.
func TestLaw_C11_AnswersAreNotTrusted(t *testing.T) {
	const zeros = "0000000000000000"
	owner := strings.Repeat("o", 16)
	record := "D" + zeros + "11" + "1" + owner + "0000000000000042" + zeros + strings.Repeat("f", 33) + "\x04\x03abcjsondata"
	token := "C" + zeros + owner + "0000000000000042" + zeros + strings.Repeat("k", 32) + strings.Repeat("f", 33)
	lock := "H0000000000000042" + "0000000000000009"
	if f, err := parseFound("claim", record); err != nil || f.Record.Fence != 42 || f.Record.Outcome.Codec != "json" || string(f.Record.Outcome.Data) != "data" {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := parseToken(token); err != nil || f.Fence != 42 {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := parseLock(lock, time.Minute); err != nil || f.Fence != 42 || f.Left != 9*time.Millisecond {
		t.Errorf("%+v, %v", f, err)
	}
	for n := range record[:len(record)-len("data")] {
		if f, err := parseFound("claim", record[:n]); err == nil {
			t.Errorf("%d bytes are %+v", n, f)
		}
	}
	for n := range token {
		if f, err := parseToken(token[:n]); err == nil {
			t.Errorf("%d bytes are %+v", n, f)
		}
	}
	for n := range lock {
		if f, err := parseLock(lock[:n], time.Minute); err == nil {
			t.Errorf("%d bytes are %+v", n, f)
		}
	}
	for _, answer := range []string{"X", "Z" + zeros, strings.Replace(record, "42", "4x", 1), "D" + zeros + "2" + record[18:]} {
		if f, err := parseFound("claim", answer); err == nil {
			t.Errorf("%q is %+v", answer, f)
		}
	}
}
