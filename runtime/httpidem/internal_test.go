package httpidem

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// TestDecode_Damaged: what is cut off or changed is unreadable, never a panic and
// never half a response.
func TestLaw_C9_DamagedResponses(t *testing.T) {
	header := []field{{"Content-Type", []string{"text/plain"}}, {"X", []string{"1", "2"}}}
	data := encode(201, header, []byte("body"))
	ok := idem.Outcome{Kind: idem.Succeeded, Codec: codecName, Data: data}
	res, err := decode(&ok, nil, 1)
	if err != nil || res.status != 201 || !reflect.DeepEqual(res.header, header) || string(res.body) != "body" {
		t.Fatalf("%+v %v", res, err)
	}
	if got := res.value("more"); len(got) != 1 || cap(got) != 1 || !reflect.DeepEqual(res.header, header) {
		t.Fatalf("%v in %+v", got, res)
	}
	for n := range len(data) - len("body") {
		o := ok
		o.Data = data[:n]
		if res, err := decode(&o, nil, 0); !errors.Is(err, idem.ErrResultUnreadable) {
			t.Errorf("%d bytes: %+v %v", n, res, err)
		}
	}
	for _, o := range []idem.Outcome{{}, {Kind: idem.Succeeded, Codec: "json", Data: data}, {Kind: idem.Failed, Codec: codecName}} {
		if _, err := decode(&o, nil, 0); !errors.Is(err, idem.ErrResultUnreadable) {
			t.Errorf("%v: %v", o.Kind, err)
		}
	}
}

// FuzzDecode: no bytes of a store make it panic or allocate beyond them.
func FuzzDecode(f *testing.F) {
	f.Add(encode(200, []field{{"A", []string{"b"}}}, []byte("c")))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		o := idem.Outcome{Kind: idem.Succeeded, Codec: codecName, Data: data}
		if res, err := decode(&o, nil, 0); err == nil && len(encode(res.status, res.header, res.body)) > len(data) {
			t.Errorf("%d bytes became more", len(data))
		}
	})
}

// FuzzKey: a key is visible ASCII of a legal length, quoted or not.
func FuzzKey(f *testing.F) {
	for _, s := range []string{`a`, `"a"`, `"a\\"`, `"\"`, ` `, `"a" `, "\x7f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := keyOf(http.Header{"K": {s}}, "K")
		if err != nil {
			if !errors.Is(err, idem.ErrMissingKey) || key != "" {
				t.Fatal(key, err)
			}
			return
		}
		if len(key) == 0 || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Fatalf("%q is a key of %q", key, s)
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
		if again, err := keyOf(http.Header{"K": {quoted}}, "K"); again != key || err != nil {
			t.Fatalf("%q is %q when quoted: %v", key, again, err)
		}
	})
}

// TestPathOf takes the path that the client asked for.
func TestPathOf(t *testing.T) {
	for target, want := range map[string]string{
		"/a/b?x=1": "/a/b", "/a%2Fb": "/a%2Fb", "http://host/p/q?x": "/p/q", "http://host": "/", "/a?u=http://x/y": "/a", "/": "/",
	} {
		r := httptest.NewRequest(http.MethodPost, target, nil)
		if got := pathOf(r); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
		r.RequestURI = ""
		if got := pathOf(r); got != want && target != "http://host" {
			t.Errorf("%s without RequestURI: %s, want %s", target, got, want)
		}
	}
}
