package directive

import (
	"time"

	"github.com/idemgen/idemgen/parser/diag"
)

// Once is //idem:once: a dedupe record with the stored result.
type Once struct {
	Key       List[Expr]         `arg:"key,required" doc:"what identifies the intention: Go expressions over the receiver and the parameters"`
	Op        Val[string]        `arg:"op" form:"op" doc:"name of the operation in the storage key; by default import path, type and method"`
	Scope     Val[Expr]          `arg:"scope" doc:"string expression for the tenant or caller that the key belongs to, in place of the engine's scope function"`
	TTL       Val[Retention]     `arg:"ttl" default:"24h" doc:"how long a finished record is kept and answers duplicates"`
	Lease     Val[time.Duration] `arg:"lease" default:"30s" doc:"lease mode: how long a claim stays valid without a heartbeat"`
	Wait      Val[time.Duration] `arg:"wait,zero" default:"0" doc:"how long a duplicate waits for the call in progress; 0 answers at once"`
	Match     List[Name]         `arg:"match,none" doc:"parameters that the fingerprint covers; by default all that have a value"`
	Orphan    Val[string]        `arg:"orphan" enum:"rerun|hold" doc:"lease mode, required there: what a retry does when the first owner vanished"`
	Errors    List[ErrorRule]    `arg:"errors" doc:"what an error means: release, store or unknown, per error variable"`
	Lookup    Val[string]        `arg:"lookup" form:"ident" doc:"method that finds the result where no stored one can be given"`
	MaxResult Val[Bytes]         `arg:"maxresult" doc:"largest result that is stored; by default the engine's limit"`
	Result    Val[string]        `arg:"result" enum:"none" doc:"none: the result is not stored"`
	Codec     Val[Expr]          `arg:"codec" doc:"package-level idem.Codec for the result; by default the engine's"`
	OnOutage  Val[string]        `arg:"onoutage" enum:"open|closed" default:"closed" doc:"what happens while the store can't be reached: closed refuses, open runs unguarded and reports it"`
	Ctx       Val[Expr]          `arg:"ctx" doc:"where the context is: a parameter, or an expression over the receiver"`
	Tx        Val[string]        `arg:"tx" form:"ident" doc:"which parameter is the transaction; the context parameter when it travels there"`
}

func onceSpec() Spec {
	return Spec{
		Name:    "once",
		Doc:     "runs the method at most once per key; a duplicate gets the stored result",
		Targets: []TargetKind{Method, Func, InterfaceMethod},
		New:     func() any { return new(Once) },
	}
}

// validate refuses what can't hold together, at the later of the two.
func (o *Once) validate(d *decoder) {
	if o.Result.Set && o.MaxResult.Set {
		d.add(diag.New(diag.CodeContradiction, o.MaxResult.KeyPos, "maxresult= contradicts result=none: no result is stored").
			WithRelated(o.Result.KeyPos, "result=none is here"))
	}
	if o.Result.Set && o.Codec.Set {
		d.add(diag.New(diag.CodeContradiction, o.Codec.KeyPos, "codec= contradicts result=none: no result is stored").
			WithRelated(o.Result.KeyPos, "result=none is here"))
	}
}
