// Package difftest runs the same random histories on every store and compares what
// they answer, step by step, with each other and with a reference model (C14).
//
// The flow of a run (Kind.Run):
//
//	make     a seed and a number give one history: a list of steps
//	play     each store plays it, on keys of its own; a pause lets short times pass
//	judge    the model says what may be answered; an answer it doesn't allow is a fault
//	compare  the stores' answers must be the same words
//	shrink   a history that failed is cut down to the steps that it takes
//
// What a kind of store can do, and its model, are in the folders records, tokens,
// locks and transactions. A model is a plain function from a state and a step to what
// may happen. It is written from the documentation of package idem alone, and where
// that leaves something open — what has expired may be remembered a while longer — it
// has several branches; the comparison of two stores ends where they took different
// ones.
//
// Time: short times (Short) pass in a pause and must not pass within the steps between
// two pauses. That is measured: a play that took too long says nothing, is thrown away
// and counted, and is played again on new keys. All other times are an hour. Plays
// sleep side by side, and only few of a store are awake at a time.
package difftest
