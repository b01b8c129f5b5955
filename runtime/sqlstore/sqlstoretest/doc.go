// Package sqlstoretest tests package sqlstore on real databases with real
// drivers. It is a module of its own so that nobody who uses the store gets the
// drivers, too.
package sqlstoretest
