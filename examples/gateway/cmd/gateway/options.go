package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/examples/gateway/internal/proxy"
	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// errUsage is a wrong command line, of which the flag package has spoken.
var errUsage = errors.New("usage")

// options are the command line.
type options struct {
	listen, admin string
	store         string
	proxy         proxy.Options
	route         httpidem.Route
	principal     string
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("gateway", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address to listen on")
	fs.StringVar(&o.admin, "admin", "", "address on which held keys are resolved; it knows no passwords, keep it private (none by default)")
	backend := fs.String("backend", "", "`URL` of the back end")
	fs.StringVar(&o.store, "store", "memory", "where responses are kept: memory, sqlite:`FILE`, postgres://…, mysql:DSN or redis://…")
	fs.StringVar(&o.route.Header, "header", httpidem.DefaultHeader, "header that has the key")
	fs.BoolVar(&o.route.Required, "required", false, "refuse requests that change something without a key")
	fs.StringVar(&o.principal, "principal", "Authorization", "header that says whose key it is")
	ttl := fs.String("ttl", "24h", "how long a response is kept, or never")
	fs.DurationVar(&o.route.Lease, "lease", idem.DefaultLease, "how long after its last sign of life a gateway counts as dead")
	fs.DurationVar(&o.route.Wait, "wait", 0, "how long a retry waits for the first request; 0 = it hears 409 at once")
	fs.Int64Var(&o.route.MaxBody, "max-body", httpidem.DefaultMaxBody, "largest guarded request, in bytes")
	fs.Int64Var(&o.route.MaxResult, "max-response", httpidem.DefaultMaxResult, "largest response that is kept, in bytes")
	fs.DurationVar(&o.proxy.Timeout, "timeout", 30*time.Second, "how long the back end may be silent, before its response and within")
	keep := fs.String("keep", "Access-Control-Allow-Credentials,Access-Control-Allow-Origin,Access-Control-Expose-Headers,Cache-Control,Content-Disposition,Link,Vary",
		"headers of a response that its replays have, beside Content-Type, Content-Encoding, Content-Language, Content-Range, ETag and Location")
	release := fs.String("release", "401,407,425,429,503", "statuses by which the back end says that it did nothing")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, errUsage
	}
	if o.proxy.Timeout < time.Millisecond {
		return o, fmt.Errorf("-timeout: want a time such as 30s, got %v", o.proxy.Timeout)
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unknown argument %q", fs.Arg(0))
	}
	var errs [3]error
	o.proxy.Backend, errs[0] = parseBackend(*backend)
	o.route.TTL, errs[1] = parseTTL(*ttl)
	o.proxy.Release, errs[2] = parseStatuses(*release)
	o.route.Name = "gateway"
	o.route.Orphan = idem.OrphanHold
	o.route.Headers = strings.FieldsFunc(*keep, func(r rune) bool { return r == ',' || r == ' ' })
	if err := errors.Join(errs[:]...); err != nil {
		return o, err
	}
	if err := httpidem.New(idem.New(idem.GlobalScope), nil, o.route).Err(); err != nil {
		return o, fmt.Errorf("-header, -lease, -wait, -max-body or -max-response: %w", err)
	}
	return o, nil
}

func parseBackend(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("-backend: want http://host or https://host, got %q", text)
	}
	return u, nil
}

func parseTTL(text string) (time.Duration, error) {
	if text == "never" {
		return idem.Never, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Millisecond {
		return 0, fmt.Errorf("-ttl: want a time such as 24h, or never, got %q", text)
	}
	return d, nil
}

func parseStatuses(text string) (map[int]bool, error) {
	statuses := map[int]bool{}
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 400 || n > 599 {
			return nil, fmt.Errorf("-release: want statuses from 400 to 599, got %q", word)
		}
		statuses[n] = true
	}
	return statuses, nil
}
