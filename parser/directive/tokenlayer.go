package directive

import (
	"time"

	"github.com/idemgen/idemgen/parser/diag"
)

// Token is //idem:token: a token that was issued in advance and works once.
type Token struct {
	Header Val[string]        `arg:"header" form:"header" default:"X-Idempotent-Token" doc:"HTTP header or gRPC metadata key that the token comes in"`
	Token  Val[Expr]          `arg:"token" doc:"string expression that has the token, in place of a header"`
	Bind   Val[Expr]          `arg:"bind" doc:"string expression for the session or principal that the token was issued to; another's is refused and not used up"`
	Op     Val[string]        `arg:"op" form:"op" doc:"name of the operation that a used token belongs to, where no record stands inside; by default import path, type and method"`
	Match  List[Name]         `arg:"match,none" doc:"parameters that a used token was used for, where no record stands inside; by default all that have a value"`
	OnFail Val[string]        `arg:"onfail" enum:"restore|burn" default:"restore" doc:"what a failed call does to its token: restore gives it back after a certain rollback, burn uses it up"`
	Lease  Val[time.Duration] `arg:"lease" default:"30s" doc:"how long a consumed token is one call's alone; nothing renews it, so it must outlast the method"`
	Keep   Val[Retention]     `arg:"keep" doc:"how long a used token is remembered; by default as long as the record of once or message, else 24h"`
	Alone  Val[bool]          `arg:"alone,flag" doc:"no database layer stands inside, and that is meant: switches the warning off"`
}

func tokenSpec() Spec {
	return Spec{
		Name:    "token",
		Doc:     "consumes a token that was issued in advance and works once",
		Targets: []TargetKind{Method, Func, InterfaceMethod},
		New:     func() any { return new(Token) },
	}
}

// validate refuses two places for one token, at the later of the two.
func (t *Token) validate(d *decoder) {
	if !t.Header.Set || !t.Token.Set {
		return
	}
	first, second := t.Header.KeyPos, t.Token.KeyPos
	name, other := "token=", "header="
	if second.Line < first.Line || second.Line == first.Line && second.Col < first.Col {
		first, second, name, other = second, first, other, name
	}
	d.add(diag.New(diag.CodeContradiction, second, "%s contradicts %s: a token comes from one place", name, other).
		WithRelated(first, "%s is here", other))
}
