package directive

import "time"

// Lock is //idem:lock: a distributed lock with double check.
type Lock struct {
	Key   List[Expr]         `arg:"key,required" doc:"what is locked: Go expressions over the receiver and the parameters"`
	Op    Val[string]        `arg:"op" form:"op" doc:"name of the operation in the lock's key, where neither a record nor a token stands beside it; by default import path, type and method"`
	Check Val[string]        `arg:"check" form:"ident" doc:"method that tells whether the work is done, with its result: asked before the lock and again under it; by default the record of once or message is asked"`
	TTL   Val[time.Duration] `arg:"ttl" default:"30s" doc:"how long a vanished holder keeps the lock; renewed while the method runs"`
	Wait  Val[time.Duration] `arg:"wait,zero" default:"5s" doc:"how long a caller waits for another's lock; 0 answers at once"`
	Alone Val[bool]          `arg:"alone,flag" doc:"no database layer stands inside, and that is meant: switches the warning off"`
}

func lockSpec() Spec {
	return Spec{
		Name:    "lock",
		Doc:     "runs the method under a distributed lock: check, lock, check again, run",
		Targets: []TargetKind{Method, Func, InterfaceMethod},
		New:     func() any { return new(Lock) },
	}
}
