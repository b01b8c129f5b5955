package model

// The layers beside once and fire. All durations are nanoseconds and effective:
// what the directive leaves out has its default filled in.

// StringExpr is an expression that a layer evaluates once per call.
type StringExpr struct {
	Pos  Pos
	Text string // as written: session(ctx)
	// Expr is of type string (converted where the user's is a named one, dereferenced
	// where it is a pointer).
	Expr Code
	// Guards must all be non-nil before Expr may be evaluated, as in Part; where one is
	// nil the value is "".
	Guards []Code
}

// Token is a //idem:token layer: a token that was issued in advance and works once.
// Without once or message the token itself is the key of the call.
type Token struct {
	Pos Pos
	// Header is the header or metadata key that the token comes in; "" when Value gives
	// it. With a header the method has a context (CtxParam or CtxExpr).
	Header string
	Value  *StringExpr // token=, or nil
	Bind   *StringExpr // session or principal that it was issued to, or nil for nobody
	Burn   bool        // onfail=burn: a method that fails uses the token up
	Lease  int64       // how long a consumption is one call's alone; nothing renews it
	// Keep is how long a used token is remembered; Never = for ever, 0 = as long as the
	// record of once or message, and 24h where there is none.
	Keep  int64
	Alone bool // no database layer stands inside, and that is meant
}

// Lock is a //idem:lock layer: check, lock, check again, run, unlock.
type Lock struct {
	Pos Pos
	Key []Part
	// SameKey: the key is that of the method's once or message layer, so that lock and
	// record share one call. Otherwise the lock has an operation of its own, Op.
	SameKey bool
	Op      string // OpName + "#lock", unique in a run; "" with SameKey
	TTL     int64  // how long the lock is held without a renewal
	Wait    int64  // how long a caller waits for another's lock; 0 = not at all
	// Check is the method that tells whether the work is done: it returns the results of
	// the guarded method, a bool and an error, so Error is always set, and never takes
	// the transaction, which has not begun. Nil: the record of once or message.
	Check *Lookup
	Alone bool // no database layer stands inside, and that is meant
}

// Unique is a //idem:unique layer: a unique index of the business table decides.
type Unique struct {
	Pos     Pos
	Index   string   // the declared index or constraint: uq_orders_no, PRIMARY
	Columns []string // as SQLite names them, in the index's order: orders.shop; nil if not given
	// Lookup answers a duplicate, and is never nil. It returns the results of the guarded
	// method. For a method that returns an error alone it returns that alone: nil says
	// that the row of the duplicate is there.
	Lookup *Lookup
}

// Message is a //idem:message layer: a once whose method has no result beside its
// error. The fingerprint is Method.Match.
type Message struct {
	Pos Pos
	// Consumer is the first part of the key, before Key; "" when consumer= is not given:
	// the operation alone tells consumers apart.
	Consumer string
	Key      []Part
	TTL      int64 // retention; Never = for ever
	Lease    int64 // lease mode only; 0 in transaction mode
	Orphan   Orphan
	Errors   []ErrorRule
	FailOpen bool // onoutage=open
}

// Request is a //idem:request layer of an HTTP handler, which is the only layer of its
// method: func(http.ResponseWriter, *http.Request), without results.
type Request struct {
	Pos       Pos
	Header    string // that has the key: Idempotency-Key
	TTL       int64  // retention; Never = for ever
	Lease     int64
	Wait      int64 // 0 = a duplicate is answered at once
	Orphan    Orphan
	MaxBody   int64 // bytes
	MaxResult int64 // bytes
	Required  bool
	// Principal is an expression over the receiver and the request (Params[1]), which is
	// never nil and in no guard; or nil for the engine's scope alone.
	Principal *StringExpr
	Methods   []string // upper case, in the order written; nil = all but the safe ones
	Headers   []string // of the response that are stored besides, as written
}

// DatabaseLayer tells whether something in a database stands behind a token or a
// lock, which knows of its own whether the effect took place: a transaction, a state
// machine or a unique index.
func (m *Method) DatabaseLayer() bool { return m.Tx() || m.Fire != nil || m.Unique != nil }

// Joins tells whether the wrapper has a second form that joins a transaction of the
// caller's. The end of a token, a lock or a response is not that transaction's, so
// methods with one of these have none.
func (m *Method) Joins() bool {
	return m.Tx() && m.Token == nil && m.Lock == nil && m.Request == nil
}
