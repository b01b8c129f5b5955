package sqlstore

import (
	"slices"
	"strings"
)

// param is a value that a statement may bind. Statement texts name them
// (":owner"); compile turns each name into the dialect's placeholder.
type param uint8

const (
	pKey         param = iota
	pText              // readable prefix of the key
	pOwner             // 16 bytes
	pFence             // int64
	pState             // state column
	pOrphan            // orphan column
	pFingerprint       // 33 bytes or nil
	pCodec             // string
	pResult            // bytes or nil
	pLease             // µs from now, nil = no lease
	pKeep              // µs from now, nil = for ever
	pNow               // µs since 1970; bound only where the process clock decides
	pLimit             // rows
	pLock              // the key's part of the number of its lock in the server
	pToken             // 32 bytes: hash of a token
	pTokens            // hashes of several, see tokenTexts
	pBinding           // 32 bytes
	pTTL               // µs from now
	pRetake            // 1 = a vanished owner's may be taken over, else 0
	pVersion           // first byte of the fingerprint, or nil
	paramCount
)

// paramSpec is one row of the table of parameters: its name in the statement
// texts and the SQL type that a typed placeholder needs.
type paramSpec struct {
	name string
	kind sqlKind
}

type sqlKind uint8

const (
	kindBytes sqlKind = iota
	kindText
	kindInt
)

var params = [paramCount]paramSpec{
	pKey:         {"key", kindBytes},
	pText:        {"text", kindText},
	pOwner:       {"owner", kindBytes},
	pFence:       {"fence", kindInt},
	pState:       {"state", kindInt},
	pOrphan:      {"orphan", kindInt},
	pFingerprint: {"fingerprint", kindBytes},
	pCodec:       {"codec", kindText},
	pResult:      {"result", kindBytes},
	pLease:       {"lease", kindInt},
	pKeep:        {"keep", kindInt},
	pNow:         {"now", kindInt},
	pLimit:       {"limit", kindInt},
	pLock:        {"lock", kindInt},
	pToken:       {"token", kindBytes},
	pTokens:      {"tokens", kindBytes},
	pBinding:     {"binding", kindBytes},
	pTTL:         {"ttl", kindInt},
	pRetake:      {"retake", kindInt},
	pVersion:     {"version", kindBytes},
}

// values holds what a statement may bind, by param.
type values [paramCount]any

// statement is a text of one dialect and the order in which it binds.
type statement struct {
	text   string
	args   []param
	marked bool // an update that marks what it matched, see dialect.matched
}

// bind picks the statement's arguments in its order.
func (s statement) bind(v *values) []any {
	out := make([]any, len(s.args))
	for i, p := range s.args {
		out[i] = v[p]
	}
	return out
}

// statements are all texts that the store runs on its table.
type statements struct {
	claim, claimTx, lookupTx, probe, peek                          statement
	renew, complete, release, resolve, resolveRerun, lookup, prune statement
	completeLast                                                   statement
}

func (d *dialect) compileAll(table tableName) statements {
	return statements{
		claim:        d.compile(d.claim, table),
		claimTx:      d.compile(d.claimTx, table),
		lookupTx:     d.compile(d.lookupTx, table),
		probe:        d.compile(d.probe, table),
		peek:         d.compile(d.peek, table),
		renew:        d.compile(renewSQL, table),
		complete:     d.compile(completeSQL, table),
		release:      d.compile(releaseSQL, table),
		resolve:      d.compile(resolveSQL, table),
		resolveRerun: d.compile(resolveRerunSQL, table),
		lookup:       d.compile(lookupSQL, table),
		prune:        d.compile(d.prune, table),
		completeLast: d.compile(d.completeLast, table),
	}
}

// compile replaces {table} by the quoted table name, {name} by the same as a
// literal, {fence} by the dialect's mark, and each :name by a placeholder. :now
// becomes the server's clock where the dialect has one. A statement that looks at
// the records beside its own table calls them {records}.
func (d *dialect) compile(text string, table tableName, records ...tableName) statement {
	out := statement{marked: strings.Contains(text, "{fence}")}
	text = strings.ReplaceAll(text, "{fence}", d.fenceMark)
	// The name comes last and is not looked into: it may hold anything.
	var b strings.Builder
	for {
		i := strings.IndexAny(text, ":{")
		if i < 0 {
			b.WriteString(text)
			out.text = b.String()
			return out
		}
		b.WriteString(text[:i])
		if rest, isTable := strings.CutPrefix(text[i:], "{table}"); isTable {
			b.WriteString(d.quoted(table))
			text = rest
			continue
		}
		if rest, isName := strings.CutPrefix(text[i:], "{name}"); isName {
			b.WriteString(literal(d.quoted(table)))
			text = rest
			continue
		}
		if rest, isRecords := strings.CutPrefix(text[i:], "{records}"); isRecords {
			b.WriteString(d.quoted(records[0]))
			text = rest
			continue
		}
		p, length := paramAt(text[i+1:])
		if p == pNow && d.now != "" {
			b.WriteString(d.now)
		} else {
			b.WriteString(d.placeholder(out.argument(p, d.numbered), params[p].kind))
		}
		text = text[i+1+length:]
	}
}

// literal is a text of Postgres that means the same whatever the session makes of
// backslashes.
func literal(text string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}

// argument returns the number of a value, from 1, and adds it if it is new.
func (s *statement) argument(p param, numbered bool) int {
	if i := slices.Index(s.args, p); numbered && i >= 0 {
		return i + 1
	}
	s.args = append(s.args, p)
	return len(s.args)
}

// paramAt reads the parameter name that s starts with. The texts are
// constants of this package, so an unknown name is a fault of the package.
func paramAt(s string) (param, int) {
	n := 0
	for n < len(s) && s[n] >= 'a' && s[n] <= 'z' {
		n++
	}
	for p, spec := range params {
		if spec.name == s[:n] {
			return param(p), n
		}
	}
	panic("idem: sqlstore: unknown parameter :" + s[:n])
}

// The columns that say everything about a record, in the order in which
// scanRow reads them. The last two are time left on the clock that decides.
const rowColumns = `owner, fence, state, orphan, fingerprint, codec, result, lease_until - :now, expires_at - :now`

// upsertClaim decides a claim in one statement: it answers with a row, and the
// owner in it, only if the record is now the claim's own. No row means that
// another's stands there; reading it decides nothing any more. What a vanished
// owner left is taken over only with its payload (K5). With a state
// other than running it keeps a finished outcome at once.
const upsertClaim = claimInto + `
VALUES (` + claimValues + `)
` + claimOnConflict

const (
	claimColumns = `key_hash, key_text, owner, fence, state, orphan, fingerprint, codec, result, lease_until, expires_at, claimed_at`
	claimValues  = `:key, :text, :owner, 1, :state, :orphan, :fingerprint, :codec, :result, :now + :lease, :now + :keep, :now`
	claimInto    = `INSERT INTO {table} AS r (` + claimColumns + `)`
)

// claimOnConflict takes a record over that has expired, or whose owner let the
// lease run out under the rerun policy.
const claimOnConflict = `ON CONFLICT (key_hash) DO UPDATE SET
	owner = excluded.owner, fence = r.fence + 1, state = excluded.state, orphan = excluded.orphan,
	fingerprint = excluded.fingerprint, codec = excluded.codec, result = excluded.result,
	lease_until = excluded.lease_until, expires_at = excluded.expires_at, claimed_at = excluded.claimed_at
WHERE r.expires_at <= excluded.claimed_at OR (r.state = 0 AND r.orphan = 1 AND r.lease_until <= excluded.claimed_at AND r.owner <> excluded.owner
	AND (r.fingerprint IS NULL OR excluded.fingerprint IS NULL OR r.fingerprint = excluded.fingerprint OR substr(r.fingerprint, 1, 1) <> substr(excluded.fingerprint, 1, 1)))
RETURNING owner, fence, state`

// renewSQL moves the end of a lease, and with it the time after which the
// abandoned row may be pruned. expires_at comes first because MySQL assigns
// from left to right and sees what it already assigned. {fence} is the fence as
// it is; where rows that matched aren't told from rows that changed, it is also
// the mark of a match.
const renewSQL = `UPDATE {table} SET expires_at = expires_at + (:now + :lease - lease_until), lease_until = :now + :lease, fence = {fence}
WHERE key_hash = :key AND owner = :owner AND fence = :fence AND state = 0`

// completeSQL stores an outcome once. The same owner may say it again (its
// first reply got lost) and changes nothing then. state comes last, see
// renewSQL.
const completeSQL = `UPDATE {table} SET
	codec = CASE WHEN state = 0 THEN :codec ELSE codec END,
	result = CASE WHEN state = 0 THEN :result ELSE result END,
	expires_at = CASE WHEN state = 0 THEN :now + :keep ELSE expires_at END,
	lease_until = NULL,
	fence = {fence},
	state = CASE WHEN state = 0 THEN :state ELSE state END
WHERE key_hash = :key AND owner = :owner AND fence = :fence`

const releaseSQL = `DELETE FROM {table} WHERE key_hash = :key AND owner = :owner AND fence = :fence AND state = 0`

// resolveSQL decides a held record. The next fence makes the vanished owner a
// stale one, should it come back.
const resolveSQL = `UPDATE {table} SET fence = {fence} + 1, codec = :codec, result = :result, expires_at = :now + :keep, lease_until = NULL, state = :state
WHERE key_hash = :key AND ` + held

const resolveRerunSQL = `DELETE FROM {table} WHERE key_hash = :key AND ` + held

// held is true of a record whose owner vanished under the hold policy, and of
// one that was committed running, see row.found.
const held = `state = 0 AND (lease_until IS NULL OR (orphan = 2 AND lease_until <= :now))`

const lookupSQL = `SELECT ` + rowColumns + ` FROM {table} WHERE key_hash = :key`

// pruneByKey deletes a bounded number of expired rows, found through the index
// on expires_at. The condition is repeated because a row may have been taken
// over between the inner and the outer part.
const pruneByKey = `DELETE FROM {table} WHERE expires_at <= :now AND key_hash IN
	(SELECT key_hash FROM {table} WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)`

// A version of the schema is noted once.
const (
	noteVersion     = `INSERT INTO {table} (version, applied_at) VALUES (:fence, :now)`
	noteOnConflict  = noteVersion + ` ON CONFLICT (version) DO NOTHING`
	noteOnDuplicate = noteVersion + ` ON DUPLICATE KEY UPDATE version = version`
)
