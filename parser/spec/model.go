package spec

import (
	"go/token"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/directive"
)

// FileName is the name of the files that are read.
const FileName = "idem.yaml"

// File is one idem.yaml.
type File struct {
	Path     string // as the user would open it
	Packages []*Package
}

// Name is a text of the file with its place.
type Name struct {
	Text string
	Pos  model.Pos
	At   token.Pos // the same in the FileSet, for nodes that the type checker sees
}

// Package is what a file says of one package, in the order written.
type Package struct {
	Key          Name // import path, or a folder relative to the file
	Imports      []Import
	Declarations []*Declaration
}

// Import is a package that expressions in the file may name.
type Import struct {
	Name Name
	Path Name
}

// Declaration is what a file says of one declaration of a package.
type Declaration struct {
	// Key is its name as written; Owner and Member are Service and Pay of
	// Service.Pay, Owner is "" for a declaration of package scope.
	Key           Name
	Owner, Member string
	// Type is the type that idemgen declares: type: as written, or string where only
	// states: is given. Its Text is "" for a declaration of Go code.
	Type   directive.Expr
	States []State
	// Directives lack their targets.
	Directives []directive.Attached
	// Faulty tells that type: or states: has been diagnosed: nothing that only follows
	// from that should be reported.
	Faulty bool
	// Texts are all the values as written, to find names in.
	Texts []string
}

// State is a state that exists only as a literal: a constant that idemgen declares.
type State struct {
	Name    Name
	Value   Name // the literal as the column holds it
	Literal string
	String  bool // Literal is a Go string, else a number
}
