// Package migrations tries what idemgen schema writes with a migration tool: its
// tests build the command, let it write migrations of a small module, and run them
// with goose on SQLite. It has no code of its own.
package migrations
