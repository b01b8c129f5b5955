package idem

// GuardSQL is one statement of a guard in every dialect. Its nth placeholder
// stands for the argument whose number is the nth of the dialect's Args: ArgKey,
// 1 and up for what the caller of FireEvent, FireTo, CreateRow or FireBatch
// passes behind the key, in order, or one of the negative numbers below. An empty
// text is a statement that is not needed.
type GuardSQL struct {
	SQLite, Postgres, MySQL string
	// Args are those of all dialects that have none of their own; nil: the key alone.
	Args []int
	// Of one dialect, where they differ; nil: Args.
	SQLiteArgs, PostgresArgs, MySQLArgs []int
}

// Numbers of the arguments that the runtime passes.
const (
	ArgKey     = 0  // the key of the row
	ArgActor   = -1 // ActorOf the context; NULL for ""
	ArgIdemKey = -2 // the readable key of the guarded call in the context; NULL outside one
	ArgTarget  = -3 // index of the target state of a dynamic event
	ArgKeys    = -4 // ListSQL: the keys, separated by commas
	ArgOrdinal = -5 // ListSQL: WHEN key THEN ordinal for each key, ordinals from 1
	ArgLive    = -6 // OnceSQL: the predicate that there is no live record
	ArgRecord  = -7 // OnceSQL: the CTE that inserts the record
)

// ListSQL is a statement of one dialect over a list of keys. Between its parts
// stand ArgKeys and ArgOrdinal, in the order in which Args has them; Args has the
// other arguments of the statement, too, where their placeholders stand. On
// Postgres these come first and have the numbers from 1; the keys' follow.
type ListSQL struct {
	Parts []string
	Args  []int
}

// BatchSQL fires an event on many rows at once. The zero value: the event has no
// batch form, a dynamic one never has.
type BatchSQL struct {
	// SQLite and Postgres are one statement each, which returns for each row that
	// it changed the ordinal of its key, the number of its edge and the new version
	// where the machine has one. On Postgres it writes the history as well.
	SQLite, Postgres ListSQL
	// MySQLRead locks the rows that the event applies to and returns the same;
	// MySQL then changes them.
	MySQLRead, MySQL ListSQL
}

// OnceSQL is the one statement of a once event on Postgres: the guarded update,
// the record, the history. ArgLive and ArgRecord stand between its parts, in this
// order, and are the store's to write; Args has the other arguments, numbered
// from 1. It returns what GuardSQL of the update does. The CTE that ArgRecord is
// replaced by may read idem_u: one row of edge, from_state, to_state and version
// (bigint) for the row that was changed, or none.
type OnceSQL struct {
	Parts []string
	Args  []int
}

// InsertSQL is an INSERT of one dialect: Into ends behind VALUES, Row is one row.
type InsertSQL struct{ Into, Row string }

// HistorySQL inserts rows of the history where it takes a statement of its own.
// A row has six placeholders: key, from state (NULL for a new row), to state,
// event, actor, key of the guarded call.
type HistorySQL struct{ SQLite, MySQL InsertSQL }

// CreateSQL makes a new row.
type CreateSQL struct {
	// Insert inserts it, unless a unique index is in its way: on SQLite and
	// Postgres it returns 1 for a row that was inserted, on MySQL LastInsertId is
	// CreateRefused for one that was not. On Postgres it writes the history as well.
	// Its arguments behind the key are the parameters of the creation.
	Insert GuardSQL
	// Select tells what is in the way: the state of the row with the key, and 1
	// when the row meets the machine's predicate, else 0.
	Select GuardSQL
}

// CreateRefused is what CreateSQL hands to LAST_INSERT_ID when there is a row.
const CreateRefused int64 = 4611686018427387905
