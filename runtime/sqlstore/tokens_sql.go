package sqlstore

import (
	"encoding/hex"

	"github.com/idemgen/idemgen/runtime/idem"
)

// States of a token, as the column has them (X3). The numbers are stored.
const (
	tokenIssued = iota + 1
	tokenConsumed
	tokenFinished
	tokenBurned
)

// tokenSchema lists the versions of the table of tokens. A token is known by its
// hash alone (X4). valid_until is its own end, known_until how long it is
// remembered though nobody uses it, and keep how long (µs) from the end of a
// consumption. expires_at, after which a row counts for nothing, is the later of
// both. An owner stays in the row when it restores the token, so that it may say
// so again (C16).
func tokenSchema(d *dialect, c *config) [][]string {
	return [][]string{1: d.create(c.tokenTable, []column{
		{name: "token_hash", size: 32},
		{name: "binding", size: 32},
		{name: "state", kind: smallColumn},
		{name: "valid_until", kind: intColumn},
		{name: "known_until", kind: intColumn, null: true},
		{name: "expires_at", kind: intColumn, null: true},
		{name: "owner", size: 16, null: true},
		{name: "fence", kind: intColumn},
		{name: "lease_until", kind: intColumn, null: true},
		{name: "key_hash", size: 32, null: true},
		{name: "fingerprint", size: 33, null: true},
		{name: "keep", kind: intColumn, null: true},
		{name: "issued_at", kind: intColumn},
	})}
}

// tokenTexts are the statements in which dialects differ.
var tokenTexts = [...]struct {
	issue, consume string
	how            telling // of consume
	// hashes makes one value of the hashes of several tokens.
	hashes func([]idem.TokenID) any
}{
	idem.SQLite:   {sqliteIssue, sqliteConsume, tellsRow, joined},
	idem.Postgres: {postgresIssue, postgresConsume, tellsAll, joined},
	idem.MySQL:    {mysqlIssue, mysqlConsume, tellsInsertID, inHex},
}

// joined is one hash after the other.
func joined(ids []idem.TokenID) any {
	b := make([]byte, 0, len(ids)*len(idem.TokenID{}))
	for i := range ids {
		b = append(b, ids[i][:]...)
	}
	return b
}

// inHex is the same in letters: cutting bytes out of a value would have MySQL
// take them for text in the character set of the connection.
func inHex(ids []idem.TokenID) any { return hex.EncodeToString(joined(ids).([]byte)) }

// Issuing cuts the hashes apart in the database, so that one text, prepared
// once, issues any number. A token that exists stays as it is; one that is not
// remembered any more counts as none (C11).
const (
	issueInto    = `INSERT INTO {table} AS r (` + issueColumns + `)`
	issueColumns = `token_hash, binding, state, valid_until, known_until, expires_at, fence, issued_at`
	issueValues  = `, :binding, 1, :now + :ttl, :now + :ttl + :keep, :now + :ttl + :keep, 0, :now`

	issueOnConflict = `ON CONFLICT (token_hash) DO UPDATE SET binding = excluded.binding, state = 1,
	valid_until = excluded.valid_until, known_until = excluded.known_until, expires_at = excluded.expires_at,
	owner = NULL, lease_until = NULL, key_hash = NULL, fingerprint = NULL, keep = NULL, issued_at = excluded.issued_at
WHERE r.expires_at <= excluded.issued_at`

	sqliteIssue = issueInto + `
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :limit)
SELECT substr(:tokens, 32 * i + 1, 32)` + issueValues + ` FROM n WHERE true
` + issueOnConflict

	postgresIssue = issueInto + `
SELECT substr(:tokens, CAST(32 * i + 1 AS integer), 32)` + issueValues + ` FROM generate_series(0, :limit - 1) AS n(i)
` + issueOnConflict

	// Assignments see what was assigned before them, so expires_at comes last.
	mysqlIssue = `INSERT INTO {table} (` + issueColumns + `)
WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :limit)
SELECT UNHEX(SUBSTR(:tokens, 64 * i + 1, 64))` + issueValues + ` FROM n
ON DUPLICATE KEY UPDATE
	binding = IF(expires_at <= VALUES(issued_at), VALUES(binding), binding), state = IF(expires_at <= VALUES(issued_at), 1, state),
	valid_until = IF(expires_at <= VALUES(issued_at), VALUES(valid_until), valid_until), known_until = IF(expires_at <= VALUES(issued_at), VALUES(known_until), known_until),
	owner = IF(expires_at <= VALUES(issued_at), NULL, owner), lease_until = IF(expires_at <= VALUES(issued_at), NULL, lease_until),
	key_hash = IF(expires_at <= VALUES(issued_at), NULL, key_hash), fingerprint = IF(expires_at <= VALUES(issued_at), NULL, fingerprint),
	keep = IF(expires_at <= VALUES(issued_at), NULL, keep), issued_at = IF(expires_at <= VALUES(issued_at), VALUES(issued_at), issued_at),
	expires_at = IF(expires_at <= VALUES(issued_at), VALUES(expires_at), expires_at)`
)

// consumable is true of a token that is the presenter's and not used: issued and
// not expired, or, where that is allowed, consumed by an owner who vanished, for
// the same key and payload (X3, K5). One that isn't remembered isn't valid either.
const consumable = `binding = :binding AND valid_until > :now AND (state = 1 OR (state = 2 AND :retake = 1 AND lease_until <= :now AND owner <> :owner AND key_hash = :key
	AND (fingerprint IS NULL OR :version IS NULL OR fingerprint = :fingerprint OR substr(fingerprint, 1, 1) <> :version)))`

// laterOf is the later of two times, of which NULL is never: GREATEST forgets a
// NULL on one database and keeps it on another.
func laterOf(a, b string) string {
	return `CASE WHEN ` + a + ` < ` + b + ` THEN ` + b + ` WHEN ` + a + ` >= ` + b + ` THEN ` + a + ` END`
}

var (
	consumedExpiry = laterOf(`known_until`, `:now + :lease + :keep`)
	settledExpiry  = laterOf(`known_until`, `:now + keep`)

	consumeSet = `state = 2, owner = :owner, lease_until = :now + :lease, key_hash = :key, fingerprint = :fingerprint, keep = :keep,
	expires_at = ` + consumedExpiry

	sqliteConsume = `UPDATE {table} SET ` + consumeSet + `, fence = ` + nextFence + `
WHERE token_hash = :token AND ` + consumable + ` RETURNING fence`

	mysqlConsume = `UPDATE {table} SET ` + consumeSet + `, fence = LAST_INSERT_ID(` + nextFence + `)
WHERE token_hash = :token AND ` + consumable

	// The row is locked first, as it stands then, and says the rest: what an
	// UPDATE joins by itself would be the older row of the statement's snapshot.
	postgresConsume = `WITH o AS MATERIALIZED (
	SELECT *, ` + consumable + ` AS consumable, ` + nextFence + ` AS next_fence, ` + consumedExpiry + ` AS next_expiry
	FROM {table} WHERE token_hash = :token FOR UPDATE
), u AS (
	UPDATE {table} AS r SET state = 2, owner = :owner, lease_until = :now + :lease, key_hash = :key, fingerprint = :fingerprint, keep = :keep,
		expires_at = o.next_expiry, fence = o.next_fence
	FROM o WHERE r.token_hash = o.token_hash AND o.consumable RETURNING r.fence
)
SELECT (SELECT fence FROM u), ` + tokenColumns + ` FROM o`

	// settleToken brings a consumption into its next state; a token that is there
	// already, by the same owner, stays so (C16). state comes last, because MySQL
	// assigns from left to right.
	settleToken = `UPDATE {table} SET expires_at = CASE WHEN state = 2 THEN ` + settledExpiry + ` ELSE expires_at END, fence = {fence}, state = :state
WHERE token_hash = :token AND owner = :owner AND (:fence = 0 OR fence = :fence) AND state IN (2, :state) AND (expires_at IS NULL OR expires_at > :now)`
)

// What tells what became of a token, in the order in which tokenRow is read. The
// last three are time left on the clock that decides.
const (
	tokenColumns = `binding, state, owner, fence, key_hash, fingerprint, valid_until - :now, lease_until - :now, expires_at - :now`
	lookupToken  = `SELECT ` + tokenColumns + ` FROM {table} WHERE token_hash = :token`
)
