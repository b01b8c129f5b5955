// Package mattn tests package sqlstore with github.com/mattn/go-sqlite3, which
// needs a C compiler.
package mattn
