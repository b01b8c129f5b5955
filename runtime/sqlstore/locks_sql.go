package sqlstore

import (
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// lockMemory is how long a lock that ended is remembered: its fence, should the
// database's clock be set back, and its owner, who may release again (C16).
const lockMemory = time.Hour

// lockSchema lists the versions of the table of locks. lease_until is NULL once
// the lock was released; released is who released it before the owner acquired
// it. A row counts for nothing after expires_at.
func lockSchema(d *dialect, c *config) [][]string {
	return [][]string{1: d.create(c.lockTable, []column{
		{name: "key_hash", size: 32},
		{name: "key_text", kind: textColumn},
		{name: "owner", size: 16},
		{name: "fence", kind: intColumn},
		{name: "lease_until", kind: intColumn, null: true},
		{name: "released", size: 16, null: true},
		{name: "expires_at", kind: intColumn, null: true},
		{name: "acquired_at", kind: intColumn},
	})}
}

// lockTexts are the statements in which dialects differ. The ones that check
// also look at the records, and acquire nothing when there is a completed one.
// Where a check may give up, unchanged acquires what has the fence that a look saw.
var lockTexts = [...]struct {
	acquire, check, unchanged string
	how                       telling // of all
}{
	idem.SQLite:   {acquireIfFree, acquireIfFreeAndNotDone, "", tellsRow},
	idem.Postgres: {postgresAcquire, postgresCheck, "", tellsAll},
	idem.MySQL:    {mysqlAcquire, mysqlCheck, mysqlAcquireUnchanged, tellsInsertID},
}

// memory is lockMemory in a statement.
var memory = strconv.FormatInt(micros(lockMemory), 10)

// done is true of a record that is completed and has not expired.
const done = `d.state <> 0 AND (d.expires_at IS NULL OR d.expires_at > :now)`

const lockColumnList = `key_hash, key_text, owner, fence, lease_until, released, expires_at, acquired_at`

// acquireIfFree takes a lock that is free, and only if it still is as the
// statement saw it when it began. So what it saw of the records is not older
// than the lock (L3): whoever had the lock before released it after its commit,
// and both are seen or neither is.
var (
	acquireIfFree           = acquireFrom + acquireOnConflict
	acquireIfFreeAndNotDone = acquireFrom + ` AND NOT EXISTS (SELECT 1 FROM {records} AS d WHERE d.key_hash = :key AND ` + done + `)` + acquireOnConflict

	acquireFrom = `INSERT INTO {table} AS r (` + lockColumnList + `)
SELECT :key, :text, :owner, CASE WHEN l.fence >= :now THEN l.fence + 1 ELSE :now END, :now + :lease,
	CASE WHEN l.lease_until IS NULL THEN l.owner END, :now + :lease + ` + memory + `, :now
FROM (SELECT 1 AS one) AS o LEFT JOIN {table} AS l ON l.key_hash = :key
WHERE (l.lease_until IS NULL OR l.lease_until <= :now)`

	acquireOnConflict = `
ON CONFLICT (key_hash) DO UPDATE SET owner = excluded.owner, fence = excluded.fence, lease_until = excluded.lease_until,
	released = excluded.released, expires_at = excluded.expires_at, acquired_at = excluded.acquired_at
WHERE r.fence = (SELECT s.fence FROM {table} AS s WHERE s.key_hash = :key)
	AND (r.lease_until IS NULL OR r.lease_until <= excluded.acquired_at)
RETURNING fence`

	// Postgres also tells what stands there.
	postgresAcquire = "WITH a AS (\n" + acquireIfFree + "\n)\nSELECT (SELECT fence FROM a), " + lockColumns + fromLock
	postgresCheck   = "WITH a AS (\n" + acquireIfFreeAndNotDone + "\n)\nSELECT (SELECT fence FROM a), " + lockColumns + theRecord + fromLock + fromRecord
)

// The two halves of a read. A lock that isn't there, and a record that is not
// completed, are NULLs.
const (
	lockColumns = `l.owner, l.fence, l.lease_until - :now`
	theRecord   = `, d.owner, COALESCE(d.fence, 0), COALESCE(d.state, 0), COALESCE(d.orphan, 0), d.fingerprint, COALESCE(d.codec, ''), d.result, d.lease_until - :now, d.expires_at - :now`

	fromLock   = ` FROM (SELECT 1 AS one) AS o LEFT JOIN {table} AS l ON l.key_hash = :key`
	fromRecord = ` LEFT JOIN {records} AS d ON d.key_hash = :key AND ` + done

	lookAtLock = `SELECT ` + lockColumns + fromLock
	lookAtBoth = `SELECT ` + lockColumns + theRecord + fromLock + fromRecord
)

// MySQL and MariaDB decide with the row locked, in the first assignment, which
// leaves a fence below zero for the others to see, and tell it by
// LAST_INSERT_ID, which is unsigned. Their reads within a write lock what they read: they must not
// wait for a transaction that has the record, which may last as long as the call
// that the lock is for. So the check gives up at once where it would (NOWAIT),
// and Locks goes another way: a look that locks nothing, and then the lock, if it is as
// the look saw it. The record is looked at twice: before there is a
// row, and again once the row is locked (L3).
var (
	mysqlAcquire = `INSERT INTO {table} (` + lockColumnList + `)
VALUES (` + mysqlLock + `)` + mysqlOnDuplicate(``)

	mysqlAcquireUnchanged = `INSERT INTO {table} (` + lockColumnList + `)
VALUES (` + mysqlLock + `)` + mysqlOnDuplicate(` AND fence = :fence`)

	mysqlCheck = `INSERT INTO {table} (` + lockColumnList + `)
SELECT ` + mysqlLock + ` FROM DUAL WHERE ` + mysqlNotDone(`:key`) + mysqlOnDuplicate(` AND `+mysqlNotDone(`{table}.key_hash`))
)

var mysqlLock = `:key, :text, :owner, LAST_INSERT_ID(:now), :now + :lease, NULL, :now + :lease + ` + memory + `, :now`

func mysqlNotDone(key string) string {
	return `NOT EXISTS (SELECT 1 FROM {records} AS d WHERE d.key_hash = ` + key + ` AND ` + done + ` FOR UPDATE NOWAIT)`
}

func mysqlOnDuplicate(also string) string {
	return `
ON DUPLICATE KEY UPDATE
	fence = IF((lease_until IS NULL OR lease_until <= VALUES(acquired_at))` + also + `,
		-CAST(LAST_INSERT_ID(CASE WHEN fence >= VALUES(acquired_at) THEN fence + 1 ELSE VALUES(acquired_at) END) AS SIGNED),
		fence + CAST(LAST_INSERT_ID(0) AS SIGNED)),
	released = IF(fence < 0, IF(lease_until IS NULL, owner, NULL), released), owner = IF(fence < 0, VALUES(owner), owner),
	lease_until = IF(fence < 0, VALUES(lease_until), lease_until), expires_at = IF(fence < 0, VALUES(expires_at), expires_at),
	acquired_at = IF(fence < 0, VALUES(acquired_at), acquired_at),
	fence = ABS(fence)`
}

var (
	extendLock = `UPDATE {table} SET expires_at = :now + :lease + ` + memory + `, lease_until = :now + :lease, fence = {fence}
WHERE key_hash = :key AND owner = :owner AND fence = :fence AND lease_until > :now`

	// unlock frees a lock that is held, and matches also one that its owner has
	// released, whoever acquired it since (C16). Fence 0 compares the owner alone.
	unlock = `UPDATE {table} SET expires_at = CASE WHEN ` + own + ` THEN :now + ` + memory + ` ELSE expires_at END,
	lease_until = CASE WHEN ` + own + ` THEN NULL ELSE lease_until END, fence = {fence}
WHERE key_hash = :key AND expires_at > :now AND ((` + own + `) OR (released = :owner AND NOT (` + ofHold + `)))`
)

const (
	// ofHold is true of the lock that a hold names, held or not.
	ofHold = `owner = :owner AND (:fence = 0 OR fence = :fence)`
	own    = ofHold + ` AND (lease_until IS NULL OR lease_until > :now)`
)
