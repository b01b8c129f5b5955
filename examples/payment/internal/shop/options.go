package shop

import (
	"log/slog"
	"time"

	"github.com/idemgen/idemgen/examples/internal/database"
)

// Options say where a shop keeps what it keeps. The zero value is a good one.
type Options struct {
	Database database.Source
	// Redis is the URL of a Redis that keeps the gate's responses and the tokens; "": responses are kept in memory, tokens in the database.
	Redis string
	// Prefix is what all keys in Redis begin with; "" = redisstore's own.
	Prefix string
	// TokenTTL is how long a token may be used; 0 = five minutes.
	TokenTTL time.Duration
	Log      *slog.Logger // nil = none
}
