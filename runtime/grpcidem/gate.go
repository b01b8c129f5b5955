package grpcidem

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
	"google.golang.org/grpc"
)

// Gate guards the methods of a server by rules. It is safe for concurrent use.
type Gate struct {
	engine *idem.Engine
	store  idem.RecordStore
	rules  []*guard
	wrong  error // with the rules
}

// guard is a rule with its operation.
type guard struct {
	Rule
	op idem.Op
}

// New makes a gate. store keeps the responses of calls that a rule guards; the first
// rule that names a method, or names none, is its. Without rules nothing is stored, and
// store may be nil: then it serves generated wrappers inside alone. What is wrong with
// the rules is idem.ErrInvalidOp in each answer; Err tells it beforehand.
func New(engine *idem.Engine, store idem.RecordStore, rules ...Rule) *Gate {
	g := &Gate{engine: engine, store: store}
	for _, r := range rules {
		setDefault(&r.Name, "grpc")
		setDefault(&r.TTL, DefaultTTL)
		setDefault(&r.Orphan, idem.OrphanHold)
		setDefault(&r.MaxResult, DefaultMaxResult)
		if r.Code == nil {
			r.Code = DefaultCode
		}
		own := &guard{Rule: r, op: idem.Op{
			Name: r.Name, Key: []string{"the method", KeyName, "the principal"},
			TTL: r.TTL, Lease: r.Lease, Wait: r.Wait, Orphan: r.Orphan, MaxResult: r.MaxResult, FailOpen: r.FailOpen,
		}}
		g.rules = append(g.rules, own)
		g.wrong = errors.Join(g.wrong, own.wrong(store))
	}
	return g
}

// wrong is what is wrong with a rule.
func (g *guard) wrong(store idem.RecordStore) error {
	if err := g.op.Validate(true); err != nil {
		return err
	}
	if g.MaxResult < 0 {
		return fmt.Errorf("%w: %s: a limit below zero", idem.ErrInvalidOp, g.Name)
	}
	if store == nil {
		return fmt.Errorf("%w: %s: a rule, and no store", idem.ErrInvalidOp, g.Name)
	}
	for _, m := range g.Methods {
		service, method, ok := strings.Cut(strings.TrimPrefix(m, "/"), "/")
		if !strings.HasPrefix(m, "/") || !ok || service == "" || method == "" || strings.Contains(method, "/") {
			return fmt.Errorf("%w: %s: %q is no full name of a method, as /shop.Orders/Pay is", idem.ErrInvalidOp, g.Name, m)
		}
	}
	return nil
}

// Err is what is wrong with the rules, idem.ErrInvalidOp; nil for nothing.
func (g *Gate) Err() error { return g.wrong }

// Check tells whether the rules name methods of a server that can be guarded:
// gate.Check(server.GetServiceInfo()), when all services are registered. A method that
// is not there, or that streams, is idem.ErrInvalidOp.
func (g *Gate) Check(services map[string]grpc.ServiceInfo) error {
	err := g.wrong
	for _, rule := range g.rules {
		for _, name := range rule.Methods {
			service, method, _ := strings.Cut(strings.TrimPrefix(name, "/"), "/")
			i := slices.IndexFunc(services[service].Methods, func(m grpc.MethodInfo) bool { return m.Name == method })
			switch {
			case i < 0:
				err = errors.Join(err, fmt.Errorf("%w: %s: the server has no method %s", idem.ErrInvalidOp, rule.Name, name))
			case services[service].Methods[i].IsClientStream || services[service].Methods[i].IsServerStream:
				err = errors.Join(err, streams(rule, name))
			}
		}
	}
	return err
}

func streams(g *guard, method string) error {
	return fmt.Errorf("%w: %s: %s streams, and can't be guarded", idem.ErrInvalidOp, g.Name, method)
}

// rule finds what guards a method; nil for nothing.
func (g *Gate) rule(method string) *guard {
	for _, r := range g.rules {
		if r.Methods == nil || slices.Contains(r.Methods, method) {
			return r
		}
	}
	return nil
}

// StreamServer is a server's interceptor for streams, which are not guarded: it turns
// errors of generated wrappers inside into codes, and refuses a stream that a rule names.
func (g *Gate) StreamServer() grpc.StreamServerInterceptor {
	return func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		if rule := g.rule(info.FullMethod); rule != nil && rule.Methods != nil {
			return ToStatus(streams(rule, info.FullMethod))
		}
		return ToStatus(next(srv, ss))
	}
}
