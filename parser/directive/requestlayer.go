package directive

import (
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Request is //idem:request: an HTTP handler whose response is replayed to a retry.
type Request struct {
	Header    Val[string]        `arg:"header" form:"header" default:"Idempotency-Key" doc:"HTTP header that has the key"`
	TTL       Val[Retention]     `arg:"ttl" default:"300s" doc:"how long a response is kept and replayed"`
	Lease     Val[time.Duration] `arg:"lease" default:"30s" doc:"how long a claim stays valid without a heartbeat"`
	Wait      Val[time.Duration] `arg:"wait,zero" default:"0" doc:"how long a duplicate waits for the request in progress; 0 answers at once by 409 with Retry-After"`
	Orphan    Val[string]        `arg:"orphan" enum:"rerun|hold" default:"hold" doc:"what a retry gets when the outcome of the first request is unknown"`
	MaxBody   Val[Bytes]         `arg:"maxbody" default:"1MiB" doc:"largest body of a guarded request; a larger one is 413 before the handler runs"`
	MaxResult Val[Bytes]         `arg:"maxresult" default:"1MiB" doc:"largest response that is stored; a larger one is remembered as done"`
	Required  Val[bool]          `arg:"required,flag" doc:"a request without a key is refused by 400; by default it passes through unguarded"`
	Principal Val[Expr]          `arg:"principal" doc:"string expression over the receiver and the request for the account that a key belongs to"`
	Methods   List[HTTPMethod]   `arg:"methods" doc:"HTTP methods that are guarded; by default all but the safe ones"`
	Headers   List[HeaderName]   `arg:"headers" doc:"headers of the response that a replay has, too, beside those that say how to read the body, Location and ETag"`
}

func requestSpec() Spec {
	return Spec{
		Name:    "request",
		Doc:     "replays the response of an HTTP handler to a retry of the request",
		Targets: []TargetKind{Method, Func, InterfaceMethod},
		New:     func() any { return new(Request) },
	}
}

// HTTPMethod is one element of methods=POST,PUT.
type HTTPMethod Name

func (m HTTPMethod) ident() string { return m.Text }
func (m HTTPMethod) at() model.Pos { return m.Pos }

// usualMethods change something, and are what a misspelt method was meant to be.
var usualMethods = []string{"POST", "PUT", "PATCH", "DELETE"}

// safeMethods are never guarded: they change nothing (H3).
var safeMethods = []string{"GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"}

// httpMethod parses an element of methods=.
func (d *decoder) httpMethod(t Text) (HTTPMethod, bool) {
	upper := strings.ToUpper(t.S)
	bad := func(format string, args ...any) diag.Diagnostic {
		return diag.New(diag.CodeHTTPMethod, t.Pos(), format, args...)
	}
	meant := diag.Suggest(t.S, usualMethods)
	switch {
	case !isHeader(t.S):
		d.add(bad("%q is not an HTTP method", t.S).WithHint("use %s", strings.Join(usualMethods, ", ")))
	case slices.Contains(safeMethods, upper):
		d.add(bad("%s is never guarded: it passes through to the handler", upper).WithHint("remove it"))
	case slices.Contains(usualMethods, t.S):
		return HTTPMethod{Text: t.S, Pos: t.Pos()}, true
	case meant != "":
		d.add(bad("%q is not an HTTP method", t.S).WithHint("did you mean %q?", meant))
	case upper != t.S:
		d.add(bad("HTTP methods are written in capitals, %q is not", t.S).WithHint("write %s", upper))
	default:
		return HTTPMethod{Text: t.S, Pos: t.Pos()}, true
	}
	return HTTPMethod{}, false
}

// HeaderName is one element of headers=Link,Cache-Control.
type HeaderName Name

func (h HeaderName) ident() string { return strings.ToLower(h.Text) }
func (h HeaderName) at() model.Pos { return h.Pos }

// neverReplayed are headers that belong to one client, one connection or one answer, in
// lower case (H1).
var neverReplayed = []string{
	"set-cookie", "set-cookie2", "cookie", "authorization", "www-authenticate", "authentication-info", "proxy-authenticate", "proxy-authorization",
	"proxy-authentication-info", "proxy-connection", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length", "date",
	strings.ToLower(ourMarker),
}

// storedHeader parses an element of headers=.
func (d *decoder) storedHeader(t Text) (HeaderName, bool) {
	switch {
	case !isHeader(t.S):
		d.add(diag.New(diag.CodeHeaderName, t.Pos(), "%q is not the name of a header", t.S))
	case slices.Contains(neverReplayed, strings.ToLower(t.S)):
		d.add(diag.New(diag.CodeHeaderName, t.Pos(), "%s is never stored: it belongs to one client or one answer", t.S).WithHint("remove it"))
	default:
		return HeaderName{Text: t.S, Pos: t.Pos()}, true
	}
	return HeaderName{}, false
}

// headerSigns are what may stand in the name of a header beside letters and digits
// (RFC 9110, token).
const headerSigns = "!#$%&'*+-.^_`|~"

// isHeader tells whether s is the name of a header.
func isHeader(s string) bool {
	return s != "" && len(s) <= maxHeader && !strings.ContainsFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune(headerSigns, r)
	})
}

// maxHeader bounds the name of a header, in bytes.
const maxHeader = 200

// ourMarker is set on replayed responses, and ignored where a client sends it (H4).
const ourMarker = "Idempotency-Replayed"

// reservedHeaders mean something else to HTTP or to idemgen, in lower case.
var reservedHeaders = []string{
	strings.ToLower(ourMarker), "authorization", "connection", "content-length", "content-type", "cookie", "host",
	"keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
}

// isFreeHeader tells whether s can be the name of a header that clients send a key in.
func isFreeHeader(s string) bool {
	return isHeader(s) && !slices.Contains(reservedHeaders, strings.ToLower(s))
}
