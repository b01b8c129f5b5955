// Package ncruces tests package sqlstore with github.com/ncruces/go-sqlite3.
package ncruces
