// Package versions has no code but tests: two versions of a program, generated and
// built at test time, share a store.
//
// testdata holds the sources: common is the command, v1 and v2 are the package with the
// service. The second version adds a field to the request and one to the result, adds
// an operation, puts the methods into another order, and changes the type of a field of
// one result. A process takes calls as lines of JSON and answers likewise, so that a
// test can send a call to one version and its retry to the other, and roll versions
// over each other in a storm.
package versions
