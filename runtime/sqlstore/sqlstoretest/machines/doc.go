// Package machines has a state machine in every form that states, tables and
// guards take, with the tests that the generator makes of each (tests=true). It
// generates, compiles and runs: idem_gen_machine_test.go fires every event in
// every state on SQLite, and databases_test.go runs the same on Postgres and
// MariaDB.
//
// One file is one form. services.go fires some of them from guarded methods.
package machines

//go:generate go -C ../../../.. run ./cmd/idemgen -C runtime/sqlstore/sqlstoretest/machines
