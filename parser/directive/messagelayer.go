package directive

import "time"

// Message is //idem:message: a consumer method takes each message once.
type Message struct {
	Key      List[Expr]         `arg:"key,required" doc:"what identifies the message: Go expressions over the receiver and the parameters"`
	Op       Val[string]        `arg:"op" form:"op" doc:"name of the operation in the storage key; by default import path, type and method"`
	Consumer Val[string]        `arg:"consumer" form:"consumer" doc:"name of the consumer, the first part of the key; by default the operation alone tells consumers apart"`
	TTL      Val[Retention]     `arg:"ttl" default:"168h" doc:"how long a handled message is remembered: at least as long as the broker may deliver it again"`
	Lease    Val[time.Duration] `arg:"lease" default:"30s" doc:"lease mode: how long a claim stays valid without a heartbeat"`
	Orphan   Val[string]        `arg:"orphan" enum:"rerun|hold" doc:"lease mode, required there: what a redelivery does when the first consumer vanished"`
	Errors   List[ErrorRule]    `arg:"errors" doc:"what an error means: release, store or unknown, per error variable"`
	Match    List[Name]         `arg:"match,none" doc:"parameters that the fingerprint covers; by default none, since deliveries of one message may differ"`
	OnOutage Val[string]        `arg:"onoutage" enum:"open|closed" default:"closed" doc:"what happens while the store can't be reached: closed refuses, open runs unguarded and reports it"`
	Ctx      Val[Expr]          `arg:"ctx" doc:"where the context is: a parameter, or an expression over the receiver"`
	Tx       Val[string]        `arg:"tx" form:"ident" doc:"which parameter is the transaction; the context parameter when it travels there"`
}

func messageSpec() Spec {
	return Spec{
		Name:    "message",
		Doc:     "takes each message of a queue once; one whose handling failed is handled when it comes again",
		Targets: []TargetKind{Method, Func, InterfaceMethod},
		New:     func() any { return new(Message) },
	}
}
