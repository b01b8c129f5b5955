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
// same bytes. What was set in front of the gate is not the handler's: it is set for a
// replay anew, by what the retry asks for, as a compressor does.
func (g *Gate) stored(h, front http.Header) []field {
	var list []field
	for name, values := range h { // sorted below
		name = http.CanonicalHeaderKey(name)
		// No Content-Type is one thing, none that is to be found out another.
		if set, is := front[name]; is && slices.Equal(set, values) {
			continue
		}
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
	spare  []string // room for as many values as decode was asked to spare
}

// decode reads a stored response, its fields into buf: idem.ErrResultTooLarge when it
// was not kept, idem.ErrResultUnreadable when it is none. All names and values share
// one string, and the values one slice with room for some more: a replay is to cost
// little.
func decode(o *idem.Outcome, buf []field, spare int) (response, error) {
	switch {
	case o.Kind == idem.Oversize:
		return response{}, idem.ErrResultTooLarge
	case o.Kind != idem.Succeeded || o.Codec != codecName:
		return response{}, fmt.Errorf("%w: kind %d, codec %q", idem.ErrResultUnreadable, o.Kind, o.Codec)
	}
	r := reader{data: o.Data, ok: true}
	status, count := int(r.number(999)), 0
	fields := r.number(uint64(len(o.Data)))
	start := reader{data: r.data, ok: r.ok}
	for range fields {
		r.text("")
		for range r.number(uint64(len(o.Data))) {
			r.text("")
			count++
		}
	}
	if !r.ok || status < 100 {
		return response{}, fmt.Errorf("%w: the stored response is damaged", idem.ErrResultUnreadable)
	}
	res := response{status: status, header: buf, body: r.data}
	all := string(start.data[:len(start.data)-len(r.data)])
	values := make([]string, 0, count+spare)
	for range fields {
		f := field{name: start.text(all)}
		first := len(values)
		for range start.number(uint64(len(o.Data))) {
			values = append(values, start.text(all))
		}
		if len(values) > first {
			f.values = values[first:len(values):len(values)]
		}
		res.header = append(res.header, f)
	}
	res.spare = values[len(values):]
	return res, nil
}

// value is one more value, which takes no memory of its own while there is room.
func (r *response) value(s string) []string {
	r.spare = append(r.spare, s)
	n := len(r.spare)
	return r.spare[n-1 : n : n]
}

// reader reads what encode wrote.
type reader struct {
	data []byte
	read int // bytes
	ok   bool
}

func (r *reader) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if !r.ok || size <= 0 || n > most {
		r.ok = false
		return 0
	}
	r.data, r.read = r.data[size:], r.read+size
	return n
}

// text is the next text, as a part of all, which is what is read as a string; "" when
// all is.
func (r *reader) text(all string) string {
	n := int(r.number(uint64(len(r.data))))
	if !r.ok || n > len(r.data) {
		r.ok = false
		return ""
	}
	from := r.read
	r.data, r.read = r.data[n:], r.read+n
	if all == "" {
		return ""
	}
	return all[from:r.read]
}
