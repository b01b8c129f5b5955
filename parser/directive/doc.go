// Package directive reads the //idem: comments of Go files.
//
// The flow of Scan is: candidates (find every comment line that is a directive
// or was meant to be one) → Tokenize (arguments with the position of every
// byte) → Decode (arguments into the directive's typed struct) → attach (the
// declaration that the comment stands on). Whatever is not understood, or
// belongs to no declaration, becomes a diagnostic at its exact line and column
// (G4); nothing is ignored and nothing panics.
//
// A directive is one struct in one file, and one row of the registry that
// Specs returns. Its arguments, their documentation and their defaults are
// struct tags, so that parsing, hints, reference pages and schemas come from
// one place. Decode knows nothing of comments: another reader can fill the same
// structs from its own Args.
package directive
