package httpidem

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// DefaultHeaders returns the headers that are stored with every response (H1): what
// says how to read the body, and what to ask for next.
func DefaultHeaders() []string {
	return []string{"Content-Type", "Content-Encoding", "Content-Language", "Location", "ETag", "Content-Range"}
}

// neverStored are the headers that no allow-list lets in: credentials, and those
// that belong to one connection or one answer.
var neverStored = []string{
	"Set-Cookie", "Set-Cookie2", "Cookie", "Authorization", "Www-Authenticate", "Authentication-Info", "Proxy-Authenticate", "Proxy-Authorization",
	"Proxy-Authentication-Info", "Proxy-Connection", "Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Content-Length", "Date", ReplayedHeader,
}

// storedHeaders are the canonical names of what is stored.
func storedHeaders(more []string) map[string]bool {
	keep := map[string]bool{}
	for _, name := range append(DefaultHeaders(), more...) {
		if name = http.CanonicalHeaderKey(name); !slices.Contains(neverStored, name) {
			keep[name] = true
		}
	}
	return keep
}

// field is one header with its values.
type field struct {
	name   string
	values []string
}

// stored picks what is stored, in the order of names: the same response has the
// same bytes.
func (g *Gate) stored(h http.Header) []field {
	var list []field
	for name, values := range h { // sorted below
		name = http.CanonicalHeaderKey(name)
		// No Content-Type is one thing, none that is to be found out another.
		if g.keep[name] && (len(values) > 0 || name == "Content-Type") {
			list = append(list, field{name, values})
		}
	}
	slices.SortFunc(list, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return list
}

// codecName names the form of stored responses: numbers are uvarints, texts are
// their length and their bytes: status, number of headers, for each its name, the
// number of its values and these; then the body.
const codecName = "http/1"

// brokenName stands in its place for a response that its handler left unfinished: it
// is done, and there is nothing to replay (C9).
const brokenName = "http/broken"

func encode(status int, header []field, body []byte) []byte {
	size := 16 + len(body)
	for _, f := range header {
		size += 8 + len(f.name)
		for _, v := range f.values {
			size += 4 + len(v)
		}
	}
	b := binary.AppendUvarint(make([]byte, 0, size), uint64(status))
	b = binary.AppendUvarint(b, uint64(len(header)))
	for _, f := range header {
		b = appendText(b, f.name)
		b = binary.AppendUvarint(b, uint64(len(f.values)))
		for _, v := range f.values {
			b = appendText(b, v)
		}
	}
	return append(b, body...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// response is a stored response.
type response struct {
	status int
	header []field
	body   []byte
}

// decode reads a stored response: idem.ErrResultTooLarge when it was not kept,
// idem.ErrResultUnreadable when it is none.
func decode(o *idem.Outcome) (*response, error) {
	switch {
	case o.Kind == idem.Oversize:
		return nil, idem.ErrResultTooLarge
	case o.Kind != idem.Succeeded || o.Codec != codecName:
		return nil, fmt.Errorf("%w: kind %d, codec %q", idem.ErrResultUnreadable, o.Kind, o.Codec)
	}
	r := reader{o.Data, true}
	res := &response{status: int(r.number(999))}
	for range r.number(uint64(len(o.Data))) {
		f := field{name: r.text()}
		for range r.number(uint64(len(o.Data))) {
			f.values = append(f.values, r.text())
		}
		res.header = append(res.header, f)
	}
	if !r.ok || res.status < 100 {
		return nil, fmt.Errorf("%w: the stored response is damaged", idem.ErrResultUnreadable)
	}
	res.body = r.data
	return res, nil
}

// reader reads what encode wrote.
type reader struct {
	data []byte
	ok   bool
}

func (r *reader) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if !r.ok || size <= 0 || n > most {
		r.ok = false
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) text() string {
	n := r.number(uint64(len(r.data)))
	if !r.ok || n > uint64(len(r.data)) {
		r.ok = false
		return ""
	}
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}
