// Package model is what the parser hands to the templates: plain structs that
// know where they were written and nothing of go/ast, go/types or jennifer.
//
// The flow is load → check → emit. parser/check builds a Package, templates
// turns it into files. Everything is ordered; nothing here is a map, so that an
// emitter can't depend on map order (G5).
package model

import "go/token"

// Pos is a position in a source or YAML file. Line and Column count from 1;
// Column counts bytes. The zero Pos means "no position".
type Pos struct {
	File string // path as the user would open it
	Line int
	Col  int
}

// PosOf converts a go/token position.
func PosOf(p token.Position) Pos { return Pos{File: p.Filename, Line: p.Line, Col: p.Column} }

// IsValid tells whether p is a position at all.
func (p Pos) IsValid() bool { return p != Pos{} }

// Package is everything idemgen generates for one Go package.
type Package struct {
	Path       string // import path
	Name       string // package name
	Module     string // path of its module, or "" if unknown: groups the imports of the output
	Dir        string // absolute folder
	Output     string // file name inside Dir: idem_gen.go or idem_gen_test.go
	Constraint string // build constraint of the annotated files ("integration && !windows"), or ""

	// Declared are the types that the output declares, with their constants: idem.yaml
	// describes them and no Go file does. In the order written.
	Declared []*Declared

	Services []*Service // wrapped structs and interfaces, in source order
	Funcs    []*Method  // wrapped plain functions, in source order
	Machines []*Machine // state machines, in source order
	Versions []*Version // optimistically locked structs, in source order

	// Taken are the identifiers of package scope that generated code must not
	// redeclare (those of the old generated file excepted), sorted.
	Taken []string
	// FileNames are the names that files of the package give to imports, and what
	// they import with a dot, sorted: Go refuses a package-scope name that is also
	// declared in some file, so generated ones avoid them.
	FileNames []string
	// Sentinels are the package-level error variables of this package, in name
	// order: a stored error replays as one that unwraps to its sentinel.
	Sentinels []string
}

// Declared is a type that exists in idem.yaml alone.
type Declared struct {
	Pos  Pos
	Name string // OrderStatus
	// Type is what stands behind the name: string, or pb.OrderStatus with Alias.
	Type   Code
	Alias  bool
	Consts []Const
}

// Const is a constant of a declared type.
type Const struct {
	Pos   Pos
	Name  string
	Value string // Go literal
}

// Service is one annotated struct or interface and its guarded methods.
type Service struct {
	Pos       Pos
	Name      string // Service
	Interface bool
	// TypeParams as declared; nil for a type without them.
	TypeParams []TypeParam
	// Members are the names of fields and methods of the wrapped type that are
	// visible in its package: wrapper fields must avoid them.
	Members []string
	Methods []*Method
}

// TypeParam is one type parameter: [K ids.Key].
type TypeParam struct {
	Name       string
	Constraint Code
}

// Method is one guarded method or function.
type Method struct {
	Pos      Pos
	Name     string // Pay
	Recv     string // receiver name as written, "" if unnamed; ExprRecv tokens stand for it
	PtrRecv  bool
	OpName   string // operation: "example.com/orders.Service.Pay", unique in a run
	Params   []Param
	Variadic bool    // last parameter is ...T; its Type is the element type
	Results  []Param // without the trailing error; none with Request

	// Ctx tells where the context comes from.
	CtxParam int  // index in Params, or -1
	CtxExpr  Code // ctx= expression over the receiver (s.ctx), or nil; both absent: context.Background()
	// Tx tells where the transaction comes from.
	TxParam int  // index in Params, or -1
	TxCtx   bool // the transaction travels in the context: T = struct{}
	// TypeParams of a generic function (methods have those of their Service).
	TypeParams []TypeParam

	// Match are the parameters that the fingerprint covers, in order; nil = match=none.
	// once and message have a fingerprint, and a token without them.
	Match []Part
	// Scope is the scope= expression, of type string (converted where the user's
	// is a named one), or nil: the engine's scope function is used. ScopeGuards
	// must all be non-nil before it may be evaluated, as in Part.
	Scope       Code
	ScopeGuards []Code
	ScopeText   string // as written

	// Layers. A nil layer is absent. Their order is fixed by the emitter:
	// request → token → lock → [begin] → once/message → fire → business → unique → [commit].
	Request *Request // alone on its method, which has no error result
	Token   *Token
	Lock    *Lock
	Once    *Once
	Message *Message // never beside Once
	Fire    *Fire
	Unique  *Unique
}

// Tx tells whether the method runs in transaction mode.
func (m *Method) Tx() bool { return m.TxParam >= 0 || m.TxCtx }

// Param is a parameter or result. Name is "" or "_" where unnamed.
type Param struct {
	Pos  Pos
	Name string
	Type Code
	Kind Kind // how the fingerprint takes it
}

// Kind says how a value is turned into a key part or a fingerprint part.
type Kind uint8

// Kinds of values.
const (
	KindOther     Kind = iota // anything else: idem.Value (canonical walk), never in a key
	KindString                // underlying string: idem.String
	KindBytes                 // underlying []byte: idem.Bytes
	KindInt                   // underlying signed integer: idem.Int
	KindUint                  // underlying unsigned integer: idem.Uint
	KindBool                  // underlying bool: idem.Bool
	KindByteArray             // [N]byte: idem.Array
	KindText                  // encoding.TextMarshaler: idem.Text
	KindStringer              // fmt.Stringer, written as an explicit .String() call or chosen by the type: idem.Stringer
	KindContext               // context.Context
	KindFunc                  // function or channel: never matched
)

// Part is one expression of a key or of the fingerprint.
type Part struct {
	Pos  Pos
	Text string // as written: req.Order.ID, used in ErrMissingKey and docs
	Expr Code
	Kind Kind
	// Deref is set when Expr is a pointer to a value of Kind: emit *Expr.
	Deref bool
	// Guards are expressions that must all be non-nil before Expr may be
	// evaluated, outermost first (req, then req.Order; and Expr itself when Deref).
	Guards []Code
}

// Orphan is the policy for a record whose owner vanished.
type Orphan uint8

// Orphan policies. OrphanNone is transaction mode.
const (
	OrphanNone Orphan = iota
	OrphanRerun
	OrphanHold
)

// Never is the retention of ttl=never.
const Never = int64(-1)

// Once is a //idem:once layer. Durations are nanoseconds.
type Once struct {
	Pos       Pos
	Key       []Part
	TTL       int64 // retention; Never = for ever
	Lease     int64 // lease mode only; 0 in transaction mode
	Wait      int64
	Orphan    Orphan
	Errors    []ErrorRule
	MaxResult int64 // bytes; 0 = the engine's default
	NoResult  bool  // result=none: the result is not stored; a duplicate gets lookup's answer or zero values
	Codec     Code  // package-level value of type idem.Codec, or nil for the engine's
	Lookup    *Lookup
	FailOpen  bool // onoutage=open
}

// ErrorRule is one element of errors=store:ErrA,unknown:ErrB.
type ErrorRule struct {
	Pos  Pos
	Do   string // "release", "store" or "unknown"
	Name string // ErrA, as written
	Expr Code
}

// Lookup names a method of the wrapped type that answers in place of a stored result.
type Lookup struct {
	Pos    Pos
	Method string
	Args   []LookupArg // in the order of the looked-up method's parameters
	// Error is set when the method returns an error last (it always has the same results otherwise).
	Error bool
}

// LookupArg says what one parameter of the lookup method gets.
type LookupArg struct {
	Ctx   bool  // the context
	Tx    bool  // the transaction
	Param int   // else: index in Method.Params of the guarded method, or -1 when Part is used
	Part  *Part // a part of the key
	// Spread passes it as ids...: the guarded method and the looked-up one are
	// both variadic and this is the last parameter of both.
	Spread bool
}

// Fire is a //idem:fire layer.
type Fire struct {
	Pos     Pos
	Machine *Machine
	// MachineImport is set when the machine is declared in another package.
	MachineImport *Import
	Event         *Event
	Key           Part
	// Args are what the guard's function gets behind the key, in its order: the target
	// of a dynamic event, expected version, fence, then one per parameter of the event.
	// Nil for none.
	Args   []FireArg
	Lookup *Lookup
}

// FireArg is one argument of a guard function that a wrapper calls.
type FireArg struct {
	Pos  Pos
	Name string // version, fence, the target's or the parameter's name as written
	Text string // the expression as written
	Expr Code   // of the wanted type; converted where the user's is another
	// Guards must all be non-nil before Expr may be evaluated, as in Part.
	Guards []Code
	// AnyVersion: no version is given: the wrapper passes idem.AnyVersion.
	AnyVersion bool
	// LockFence: no fence is given, and the method has a lock: the wrapper passes
	// idem.LockFence(ctx).
	LockFence bool
}

// Machine is one state machine.
type Machine struct {
	Pos  Pos
	Name string // Status: prefix of all generated names
	Type Code   // Go type of a state: Status, string, pb.OrderStatus
	// Methods is set when Type is a defined type of this package, so that
	// methods can be added to it; otherwise functions are generated.
	Methods bool
	// HasMethods are the methods that the type already has: not generated again.
	HasMethods []string
	Base       Kind     // KindString, KindInt, KindUint or KindBool
	BaseType   string   // underlying basic type: "string", "int", "uint8", "bool", …
	Table      []string // ["shop", "orders"] for shop.orders
	Key        string   // key column
	KeyType    Code     // Go type of the key: string unless keytype= says otherwise
	KeyKind    Kind     // what that type is: KindString unless keytype= says otherwise
	Column     string
	States     []*State
	Events     []*Event
	Initial    *State

	// Where is the predicate that a row must meet to be one of this machine at all
	// (a tenant's): another tenant's row is not found. Nil for none. Its parameters
	// are Params.
	Where  Frag
	Params []SQLParam
	// Create are the columns that a new row gets beside key, state, version and what
	// Where says by equality (Same). Its parameters are CreateParams, which begin with Params.
	Create       []Assign
	CreateParams []SQLParam
	// Same are the parts of Where of the form column = value (a parameter, a constant or
	// a literal), which a new row is given.
	Same    []Assign
	Version string   // version column, "" for none: 64-bit, bumped by every event
	Fence   string   // column that keeps the highest fence of a lock seen, "" for none
	History []string // history table, schema first; nil for none
	Tests   bool     // tests=true: a test file is generated as well
}

// State is one state of a machine. Index counts from 0 in declaration order.
type State struct {
	Pos      Pos
	Index    int
	Const    Code   // expression that names the constant: Created, pb.Status_PAID
	Ident    string // Go identifier that generated names use: Created
	Constant bool   // a constant (its drift can be checked at compile time); false for a variable
	Value    string // Go literal of the value: "CREATED" quoted, -1, true
	SQL      SQLValue
	// Mapped: values= gives what the column holds, so SQL is not the Go value and
	// the codecs must translate. It is the same for all states of a machine.
	Mapped bool
	Final  bool
	// DominatedBy are the indices of the states that every path from the
	// initial state to this one passes through, itself included, ascending.
	DominatedBy []int
}

// SQLValue is a state's value as the column holds it.
type SQLValue struct {
	Text   string // unquoted text, or the decimal digits
	Number bool   // write it bare
	Bool   bool   // TRUE/FALSE on Postgres, 1/0 elsewhere
}

// Event is one event of a machine with all its edges.
type Event struct {
	Pos   Pos
	Index int
	Name  string // as written: Pay
	Ident string // Go identifier: Pay
	Edges []Edge // ascending by source index, then by target; each source once unless Dynamic
	// Dynamic: the caller names the target (-> :to); Edges are all that the other
	// transitions of the machine allow from the event's sources.
	Dynamic bool
	Target  string // of a Dynamic event the parameter for the target state, as written: to; else ""
	Once    bool   // never of a Dynamic event
	TTL     int64  // retention of a once event's record, as in Once
	// Where must hold besides, or the outcome is Guard. Nil for none.
	Where Frag
	Set   []Assign // extra columns to set, in the order written
	// Params are the parameters of Where and Set; they begin with the machine's Params.
	Params []SQLParam
	// Proofs are the targets, ascending, that this event alone leads into and that
	// are not the initial state: a row in one of them, or past it, proves that the
	// event was applied (S2).
	Proofs []int
}

// Edge is one transition.
type Edge struct {
	Pos      Pos
	From, To int  // state indices
	Wildcard bool // came from *
}
