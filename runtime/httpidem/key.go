package httpidem

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// maxKey is the longest key, in bytes.
const maxKey = 255

// keyOf reads the key of a request: 1 to 255 visible ASCII bytes, bare or as a
// string of RFC 9651. It is "" when there is none; a malformed one, or more than
// one, wraps idem.ErrMissingKey.
func keyOf(h http.Header, name string) (string, error) {
	values := h.Values(name)
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", badKey(name, "it is given %d times", len(values))
	}
	key := strings.Trim(values[0], " \t")
	if strings.HasPrefix(key, `"`) {
		bare, ok := unquote(key)
		if !ok {
			return "", badKey(name, "its quotes don't match")
		}
		key = bare
	}
	switch {
	case key == "":
		return "", badKey(name, "it is empty")
	case len(key) > maxKey:
		return "", badKey(name, "it has %d bytes, more than %d", len(key), maxKey)
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return "", badKey(name, "byte %d is no visible ASCII character", i+1)
		}
	}
	return key, nil
}

func badKey(name, format string, args ...any) error {
	return fmt.Errorf("%w: header %s: %s", idem.ErrMissingKey, name, fmt.Sprintf(format, args...))
}

// unquote reads a string of RFC 9651. Parameters behind it are not taken.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	if !strings.ContainsAny(s, `"\`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return "", false
		case s[i] != '\\':
		case i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
		default:
			return "", false
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// pathOf is the path as the client asked for it: what a router in front stripped
// is part of it, so that two mounts of a handler share no key.
func pathOf(r *http.Request) string {
	target := r.RequestURI
	if target == "" || target == "*" {
		return r.URL.EscapedPath()
	}
	target, _, _ = strings.Cut(target, "?")
	if _, rest, absolute := strings.Cut(target, "://"); absolute && !strings.HasPrefix(target, "/") {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return rest[i:]
		}
		return "/"
	}
	return target
}
