package sqlstore

// MySQL and MariaDB. What only one of them understands stands in comments that
// the other skips: /*M! … */ is MariaDB's.

// mysqlNow is the statement's time in UTC: no session time zone touches it (C8).
const mysqlNow = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))`

// mysqlClaim decides a claim in one statement. Assignments go from left to
// right and see what was assigned before, so the first one decides and leaves
// a fence below zero for the others to see. MariaDB answers with the row as it
// stands; on MySQL the owner is read back. The number of affected rows decides
// nothing: with clientFoundRows it is 1 for an insert and a duplicate alike (C1).
const mysqlClaim = `INSERT INTO {table} (` + claimColumns + `)
VALUES (` + claimValues + `)
ON DUPLICATE KEY UPDATE
	fence = IF(expires_at <= VALUES(claimed_at) OR (state = 0 AND orphan = 1 AND lease_until <= VALUES(claimed_at) AND owner <> VALUES(owner)
		AND (fingerprint IS NULL OR VALUES(fingerprint) IS NULL OR fingerprint = VALUES(fingerprint) OR SUBSTR(fingerprint, 1, 1) <> SUBSTR(VALUES(fingerprint), 1, 1))), -(fence + 1), fence),
	owner = IF(fence < 0, VALUES(owner), owner), state = IF(fence < 0, VALUES(state), state), orphan = IF(fence < 0, VALUES(orphan), orphan),
	fingerprint = IF(fence < 0, VALUES(fingerprint), fingerprint), codec = IF(fence < 0, VALUES(codec), codec), result = IF(fence < 0, VALUES(result), result),
	lease_until = IF(fence < 0, VALUES(lease_until), lease_until), expires_at = IF(fence < 0, VALUES(expires_at), expires_at),
	claimed_at = IF(fence < 0, VALUES(claimed_at), claimed_at),
	fence = ABS(fence)
/*M! RETURNING owner, fence, state */`

// mysqlAtOnce lets a statement fail instead of waiting for another's lock, on
// MariaDB, and leaves the session's own time-out as it is. MySQL has nothing of
// the kind: there a claim waits for the winner of another process, at most
// innodb_lock_wait_timeout. Under SERIALIZABLE every read asks for a lock.
const mysqlAtOnce = `/*M! SET STATEMENT innodb_lock_wait_timeout=0 FOR */ `

const mysqlClaimTx = mysqlAtOnce + mysqlClaim

const mysqlPrune = `DELETE FROM {table} WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit`

// mysqlLockedOut tells that another transaction holds a lock. It need not be
// the key's: InnoDB locks gaps between keys, too.
func mysqlLockedOut(err error) bool {
	n, ok := mysqlNumberOf(err)
	return ok && (n == 1205 || n == 3572)
}

// mysqlNoSavepoint tells the end of a transaction that InnoDB rolled back as a whole,
// as it does for a deadlock, and where innodb_rollback_on_timeout is on for a lock
// that was not to be had. The session is in autocommit then.
func mysqlNoSavepoint(err error) bool {
	n, ok := mysqlNumberOf(err)
	return ok && n == 1305
}

// mysqlSchema lists the versions of the schema, see sqliteSchema.
func mysqlSchema(d *dialect, c *config) [][]string {
	return [][]string{
		1: {`CREATE TABLE IF NOT EXISTS ` + d.quoted(c.table) + ` (
	key_hash BINARY(32) NOT NULL PRIMARY KEY,
	key_text VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
	owner BINARY(16) NOT NULL,
	fence BIGINT NOT NULL,
	state TINYINT NOT NULL,
	orphan TINYINT NOT NULL,
	fingerprint VARBINARY(64),
	codec VARCHAR(64) CHARACTER SET utf8mb4 NOT NULL,
	result LONGBLOB,
	lease_until BIGINT,
	expires_at BIGINT,
	claimed_at BIGINT NOT NULL,
	KEY expires (expires_at)
) ENGINE = InnoDB`},
	}
}
