package sqlstore

import (
	"strconv"
	"strings"
)

// Postgres.

// postgresNow is the time of the statement (C8): the transaction's would be
// that of its start. Within a statement it does not move, and the planner may
// compare it with an index, neither of which is true of clock_timestamp().
const postgresNow = `CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint)`

// postgresPlaceholder gives each value its type: outside a plain VALUES the
// server would take it for text.
func postgresPlaceholder(n int, kind sqlKind) string {
	return "$" + strconv.Itoa(n) + "::" + postgresTypes[kind]
}

var postgresTypes = [...]string{kindBytes: "bytea", kindText: "text", kindInt: "bigint"}

// postgresClaimTx takes a lock of the key that lives as long as the
// transaction, or is told at once that another one has it: without it the
// INSERT would block on the other's uncommitted row, as long as that lasts. The
// server's locks are numbers and know nothing of tables: so the table that is meant
// here and now, by whatever name and search path, is part of the number. A
// row of NULLs means locked out, no row that a committed record stands there.
const postgresClaimTx = `WITH l AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(:lock # CAST(CAST({name} AS regclass) AS bigint)) AS got),
c AS (
` + claimInto + `
SELECT ` + claimValues + ` FROM l WHERE l.got
` + claimOnConflict + `
)
SELECT c.owner, c.fence, c.state FROM l LEFT JOIN c ON true WHERE c.owner IS NOT NULL OR NOT l.got`

// postgresCompleteLast is completeSQL for a pipeline: when it matches no row it
// divides by zero, and the server leaves out the commit or the release behind it.
const postgresCompleteLast = `WITH done AS (` + completeSQL + ` RETURNING 1) SELECT 1 / count(*) FROM done`

// postgresPrune passes over rows that somebody is at, and finds the others by
// their keys, whatever the planner thinks of the table's size.
const postgresPrune = `DELETE FROM {table} WHERE expires_at <= :now AND key_hash = ANY(ARRAY(
	SELECT key_hash FROM {table} WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit FOR UPDATE SKIP LOCKED))`

// postgresSchema lists the versions of the schema, see sqliteSchema. Hash
// partitions spread one big index over several small ones; a key lies in
// exactly one, so that the primary key stays what decides a claim.
func postgresSchema(d *dialect, c *config) [][]string {
	t := c.table
	create := `CREATE TABLE IF NOT EXISTS ` + d.quoted(t) + ` (
	key_hash bytea NOT NULL PRIMARY KEY,
	key_text text NOT NULL,
	owner bytea NOT NULL,
	fence bigint NOT NULL,
	state smallint NOT NULL,
	orphan smallint NOT NULL,
	fingerprint bytea,
	codec text NOT NULL,
	result bytea,
	lease_until bigint,
	expires_at bigint,
	claimed_at bigint NOT NULL
)`
	first := []string{create}
	if c.partitions > 0 {
		first[0] += " PARTITION BY HASH (key_hash)"
		for i := range c.partitions {
			first = append(first, `CREATE TABLE IF NOT EXISTS `+d.quoted(t.sibling("_p"+strconv.Itoa(i)))+
				` PARTITION OF `+d.quoted(t)+` FOR VALUES WITH (MODULUS `+strconv.Itoa(c.partitions)+`, REMAINDER `+strconv.Itoa(i)+`)`)
		}
	}
	index := t.sibling("_expires")
	first = append(first, `CREATE INDEX IF NOT EXISTS `+d.quoteName(index[len(index)-1])+` ON `+d.quoted(t)+` (expires_at) WHERE expires_at IS NOT NULL`)
	return [][]string{1: first}
}

// postgresWhole makes one statement of several under a lock of its own: IF NOT
// EXISTS alone fails when two processes start at once.
func postgresWhole(texts []string) string {
	tag := "$idem$"
	for strings.Contains(strings.Join(texts, ""), tag) {
		tag = tag[:len(tag)-1] + "x$"
	}
	const migrationLock = "7595718147998050927" // "idemgen" in ASCII, and one more
	return "DO " + tag + " BEGIN PERFORM pg_advisory_xact_lock(" + migrationLock + ");\n" + strings.Join(texts, ";\n") + ";\nEND " + tag
}
