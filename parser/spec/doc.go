// Package spec reads idem.yaml: what the directives of comments say, for code that
// can't carry comments.
//
// The flow of Parse is: text (bytes that every reader sees alike) → document (one
// YAML document, without anchors, tags and merges, no key twice) → file (version,
// packages, declarations) → directive (arguments as the decoder of comments takes
// them). What a directive may say is known to parser/directive alone: its names,
// arguments and rules come from the registry, and the same decoder fills the same
// structs. A place in a value, also in a folded or quoted one, is a place in the
// file (text.go, scalar.go), so that every diagnostic has its line and column (G4).
//
// The package knows nothing of Go packages: parser/load finds the folders and the
// declarations that a file names. Schema makes the JSON schema for editors from the
// same registry.
package spec
