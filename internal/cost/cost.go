// Package cost is the table of what each operation of each store costs: statements on
// SQLite, which has no wire, and round trips on the others, of a connection that has
// prepared its statements and a Redis that knows the scripts. The counting tests of
// the stores (sqlstoretest, pgxstore, redisstore, rueidisstore) compare what they
// count with it, and idemgen explain prints it, so that neither can drift.
package cost

import "slices"

// Store is a column of the table.
type Store uint8

// Stores, in the order of the columns.
const (
	SQLite   Store = iota // database/sql
	Postgres              // database/sql
	MariaDB               // database/sql
	Pgx                   // pgxstore, on Postgres
	Redis                 // go-redis or rueidis; single, Sentinel or Cluster
	stores
)

// Stores are all columns.
func Stores() []Store { return []Store{SQLite, Postgres, MariaDB, Pgx, Redis} }

var storeNames = [stores]string{"SQLite", "Postgres", "MariaDB", "pgxstore", "Redis"}

// String is the name of the store for people.
func (s Store) String() string { return storeNames[s] }

// none marks an operation that a store does not have.
const none = -1

// Row is what one operation costs.
type Row struct {
	Name string // as the counting tests call it, unique
	on   [stores]int
}

// On is what the operation costs on a store; ok is false where it has none.
func (r Row) On(s Store) (n int, ok bool) {
	n = r.on[s]
	return n, n != none
}

// Names of the operations.
const (
	FreshClaim       = "fresh claim"
	RunningDuplicate = "running duplicate"
	Duplicate        = "duplicate"
	Renew            = "renew"
	Complete         = "complete"
	Release          = "release"
	LookUp           = "look up"
	BareTransaction  = "bare transaction"
	FreshCall        = "fresh call"
	DuplicateCall    = "duplicate of a call"
	JoinedCall       = "joined call" // with the caller's begin and commit
	KeptError        = "kept error"
	Issue            = "issue"
	Consume          = "consume"
	ConsumeRefused   = "consume what runs"
	Finish           = "finish"
	Restore          = "restore"
	Burn             = "burn"
	Acquire          = "acquire"
	AcquireBusy      = "what is held"
	AcquireNeedless  = "what is needless"
	Unlock           = "unlock"
	LockAndUnlock    = "lock, double check, unlock"
	Event            = "an event from one source"
	EventHistory     = "an event with a history"
	EventRefused     = "an event that is illegal"
	OnceEvent        = "a once event"
	OnceEventAgain   = "a once event, again"
)

// rows is the table. Transactions are counted with one business statement.
var rows = []Row{
	{FreshClaim, [stores]int{1, 1, 1, 1, 1}},
	{RunningDuplicate, [stores]int{2, 2, 2, 2, 1}},
	{Duplicate, [stores]int{2, 2, 2, 2, 1}},
	{Renew, [stores]int{1, 1, 1, 1, 1}},
	{Complete, [stores]int{1, 1, 1, 1, 1}},
	{Release, [stores]int{1, 1, 1, 1, 1}},
	{LookUp, [stores]int{1, 1, 1, 1, 1}},
	{BareTransaction, [stores]int{3, 3, 3, 3, none}},
	{FreshCall, [stores]int{5, 5, 5, 3, none}},
	{DuplicateCall, [stores]int{4, 4, 4, 2, none}},
	{JoinedCall, [stores]int{7, 7, 7, 5, none}},
	{KeptError, [stores]int{1, 1, 1, 1, none}},
	{Issue, [stores]int{1, 1, 1, none, 1}},
	{Consume, [stores]int{1, 1, 1, none, 1}},
	{ConsumeRefused, [stores]int{2, 1, 2, none, 1}},
	{Finish, [stores]int{1, 1, 1, none, 1}},
	{Restore, [stores]int{1, 1, 1, none, 1}},
	{Burn, [stores]int{1, 1, 1, none, 1}},
	{Acquire, [stores]int{1, 1, 1, none, 1}},
	{AcquireBusy, [stores]int{2, 1, 2, none, 1}},
	{AcquireNeedless, [stores]int{2, 1, 2, none, 1}},
	{Unlock, [stores]int{1, 1, 1, none, 1}},
	{LockAndUnlock, [stores]int{2, 2, 2, none, 2}},
	{Event, [stores]int{1, 1, 1, 1, none}},
	{EventHistory, [stores]int{4, 1, 4, 1, none}},
	{EventRefused, [stores]int{2, 2, 2, 2, none}},
	{OnceEvent, [stores]int{5, 1, 5, 1, none}},
	{OnceEventAgain, [stores]int{4, 2, 4, 2, none}},
}

// Rows is the table, a copy.
func Rows() []Row { return slices.Clone(rows) }

// Find is the row of an operation; ok is false for a name that is none.
func Find(name string) (row Row, ok bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// On is what an operation costs on a store, 0 where there is no such thing.
func On(name string, s Store) (n int, ok bool) {
	r, found := Find(name)
	if !found {
		return 0, false
	}
	return r.On(s)
}

// Differs says what a test counted in place of what the table has, or "" where both
// agree; a name that is not in the table is none of its business.
func Differs(name string, s Store, counted int) string {
	row, ok := Find(name)
	if !ok || row.on[s] == counted {
		return ""
	}
	return name + " on " + s.String() + " is " + text(counted) + ", and in the table of costs " + text(row.on[s])
}

func text(n int) string {
	if n == none {
		return "nothing"
	}
	digits := ""
	for ; n > 9; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return string(rune('0'+n)) + digits
}
