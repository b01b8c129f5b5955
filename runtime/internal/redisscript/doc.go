// Package redisscript keeps idempotency records, tokens and locks in Redis, by way
// of any client: it knows the scripts and what they answer, and no client library.
//
// Every operation is one Lua script on keys of one cluster slot, so that it is
// atomic (C1), takes one round trip, and is decided by the server's clock alone
// (C8). A script is sent by its hash; a server that doesn't know it (NOSCRIPT: it
// was restarted, promoted or flushed) gets the text. Every script may be sent again
// with the same owner and answers the same (C16), because clients retry on their
// own. Answers are strings and never nil: a letter, for some followed by the rest of
// a lease in microseconds (16 digits) and the value or a part of it.
//
// A value is one string with fields of fixed width, so that a script reads it with
// one command; numbers are decimal digits, times microseconds of the server's clock.
// The first byte tells the layout.
//
//	record: version 1, kind of outcome 1 (0 = running), orphan policy 1, owner 16,
//	        fence 16, end of lease 16, fingerprint 33, length of codec 1, length
//	        of the readable key 1, readable key, codec, data
//	token:  version 1, state 1, consumption: (owner 16, fence 16, end of lease 16,
//	        hash of the key 32, fingerprint 33), binding 32, expiry 16, remembered
//	        until 16, remembered by the consumption for 16
//	lock:   state 1 (h = held until it expires in an hour or less, r = released),
//	        owner 16, fence 16, who released it before that owner 16, readable key
//
// Keys are a prefix, a letter (r, t, l) and the hash of the idempotency key in
// braces, its hash tag: record and lock of one key share a slot whatever the key
// contains. What has expired Redis removes by itself (C13).
package redisscript
