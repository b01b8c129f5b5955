package idem

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
)

// TokenID is all that a store knows of a token: the SHA-256 of its text (X4).
type TokenID [32]byte

// HashToken is the ID of a token as a client presents it. Any text has one.
func HashToken(text string) TokenID { return sha256.Sum256([]byte(text)) }

// TokenText is the text of a new token: who has it can use it. However it is
// formatted, logged or encoded, also inside other values, it shows no text (X4);
// Reveal gives it, for the one client that the token is issued to. The zero value is
// no token.
type TokenText struct {
	text *string // behind a pointer, which is all that fmt shows of it in a hidden field
}

// tokenPlaceholder stands for a token in logs and errors.
const tokenPlaceholder = "[token]"

// NewToken makes a token of at least 128 random bits: 26 or more letters and
// digits, which need no escaping in headers, URLs and JSON.
func NewToken() TokenText {
	text := rand.Text()
	return TokenText{&text}
}

// ID is what stores know the token by.
func (t TokenText) ID() TokenID { return HashToken(t.Reveal()) }

// Reveal is the text itself; "" of the zero value.
func (t TokenText) Reveal() string {
	if t.text == nil {
		return ""
	}
	return *t.text
}

// String returns a placeholder.
func (t TokenText) String() string { return tokenPlaceholder }

// Format writes a placeholder for every verb.
func (t TokenText) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, tokenPlaceholder) }

// LogValue is a placeholder.
func (t TokenText) LogValue() slog.Value { return slog.StringValue(tokenPlaceholder) }

// MarshalText returns a placeholder.
func (t TokenText) MarshalText() ([]byte, error) { return []byte(tokenPlaceholder), nil }
