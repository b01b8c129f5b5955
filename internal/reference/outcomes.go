package reference

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// grpcNames are the canonical codes of gRPC by number.
var grpcNames = [...]string{
	"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists", "PermissionDenied",
	"ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented", "Internal", "Unavailable",
	"DataLoss", "Unauthenticated",
}

// GRPCName is the name of a canonical gRPC code.
func GRPCName(code uint32) string {
	if int(code) < len(grpcNames) {
		return grpcNames[code]
	}
	return fmt.Sprintf("Code(%d)", code)
}

// ErrorName is the Go name of the error that an outcome stands for: ErrKeyReused of
// key_reused; "" for an outcome that has none.
func ErrorName(s idem.Status) string {
	if s.Err() == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("Err")
	for word := range strings.SplitSeq(s.Code, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// httpOnly are the rows of httpidem.Statuses, which a test compares: the generator does
// not import what serves HTTP.
var httpOnly = []idem.Status{
	{Code: "body_too_large", HTTP: 413, Title: "The body is too large to be guarded"},
	{Code: "body_unread", HTTP: 400, Title: "The body could not be read"},
	{Code: "request_ended", HTTP: 503, RetryAfter: true, Title: "The request ended before anything was done"},
	{Code: "rate_limited", HTTP: 429, RetryAfter: true, Title: "Too many tokens were asked for"},
	{Code: "method_not_allowed", HTTP: 405, Title: "Tokens are asked for by POST"},
	{Code: "bad_token_request", HTTP: 400, Title: "The request for tokens is not valid"},
	{Code: "bad_response", HTTP: 400, Title: "What is to be replayed is no response"},
}

func outcomes(b *bytes.Buffer) {
	b.WriteString(`What a guarded call can come to is one closed set, the same as error of a function, HTTP answer, gRPC status and answer to a
broker: ` + "`idem.Statuses()`" + `. The codes are stable. Where an error is several of them, the first row wins; what is none of them is the
business's own error, the last row.

- HTTP answers are ` + "`application/problem+json`" + ` (RFC 9457) with the type ` + "`urn:idemgen:problem:CODE`" + `, and a Retry-After header where the table says so.
- gRPC answers carry the code as reason of a google.rpc.ErrorInfo.
- ack: the message is done. nack: deliver it again, after a delay. dead_letter: a redelivery would end the same way.

| code | meaning | error of package idem | HTTP | gRPC | queue |
|---|---|---|---|---|---|
`)
	for _, s := range idem.Statuses() {
		http := fmt.Sprint(s.HTTP)
		if s.RetryAfter {
			http += ", Retry-After"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", code(s.Code), cell(s.Title), code(ErrorName(s)), http, GRPCName(s.GRPC), s.Queue)
	}
	b.WriteString("\nA replay is an ordinary answer; where the gate in front (`request`, httpidem, grpcidem) replays it, it has the header `Idempotency-Replayed: true`. A stored error (`idem.Final`, `errors=store:`) replays as one that errors.Is finds its sentinel in; as a message it goes to the dead letters.\n\n")
	b.WriteString("## What only HTTP knows\n\nThe gate of httpidem and its token endpoint answer with these besides (`httpidem.Statuses()`). What a replay keeps of a response is its status, its body and the headers Content-Type, Content-Encoding, Content-Language, Content-Range, ETag and Location, with those of `headers=` or `Route.Headers`; what was set in front of the gate is set for the replay anew.\n\n| code | meaning | HTTP |\n|---|---|---|\n")
	for _, s := range httpOnly {
		http := fmt.Sprint(s.HTTP)
		if s.RetryAfter {
			http += ", Retry-After"
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", code(s.Code), cell(s.Title), http)
	}
	b.WriteString("\n## Events of an observer\n\n`idem.WithObserver` hears of these, `idem.NewSlogObserver` logs them under these names.\n\n")
	for k := idem.EventKind(1); k.String() != idem.EventKind(0).String(); k++ {
		fmt.Fprintf(b, "- `%s`\n", k)
	}
}
