// Package layers is the layer law as a test: a shop whose payments are guarded by
// every subset of three layers, three times over.
//
//   - token, state machine, unique index: a form that is submitted again
//   - request, token, once: a click that is repeated by a browser or a proxy
//   - message, once, unique index: a message that is delivered again
//
// shop.go has a guarded method for each subset, so that a layer is switched off by
// calling another method. law_test.go runs a storm of duplicates on each, also while
// the data of one layer is lost; kill_test.go kills the process meanwhile.
package layers

//go:generate go -C ../../../.. run ./cmd/idemgen -C runtime/sqlstore/sqlstoretest/layers
