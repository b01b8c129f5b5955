package redisscript

import (
	"crypto/sha1"
	"embed"
	"encoding/hex"
)

//go:embed lua/*.lua
var files embed.FS

// Script is a Lua script and the name that a server knows it by.
type Script struct {
	Text string
	SHA  string // SHA-1 of the text in hexadecimal
}

// load reads a script of this package.
func load(name string) *Script {
	text, err := files.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic("redisscript: " + err.Error()) // the file is part of the program
	}
	sum := sha1.Sum(text)
	return &Script{Text: string(text), SHA: hex.EncodeToString(sum[:])}
}
