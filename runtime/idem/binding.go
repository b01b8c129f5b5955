package idem

import "crypto/sha256"

// BindTo makes the binding of a session or principal. The text is not kept, and a
// token's own hash is never equal to it.
func BindTo(who string) Binding {
	return sha256.Sum256(append([]byte("binding\x00"), who...))
}
