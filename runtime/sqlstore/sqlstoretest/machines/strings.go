package machines

import "time"

// Order is the full form: named strings; a tenant; extra columns for every event
// and for one; several sources; * without some; a self edge; a target that the
// caller names; a version; the fence of a lock; a history; a key of its own.
//
//idem:statemachine table=orders key=id column=status initial=Created final=Done,Cancelled where="tenant_id = :tenant" set="updated_at = :now" create="amount = :amount" version=version fence=lock_fence history=order_history params=tenant:int64,now:time.Time,amount:int64 tests=true
//idem:transition Pay Created,Held -> Paid once ttl=1h set="paid_at = :paidAt" where="amount = :amount" params=paidAt:time.Time
//idem:transition Hold Created -> Held
//idem:transition Touch Paid -> Paid set="touches = touches + 1"
//idem:transition Finish Paid -> Done
//idem:transition Cancel * - Done,Cancelled -> Cancelled
//idem:transition Move * - Done,Cancelled -> :to
type Order string

// States of an order.
const (
	Created   Order = "CREATED"
	Held      Order = "HELD"
	Paid      Order = "PAID"
	Done      Order = "DONE"
	Cancelled Order = "CANCELLED"
)

var _ time.Time // the directive names it
