package model

// Code is a piece of Go — a type or an expression — as a list of tokens. Only
// the names that depend on their surroundings are kept apart: imported
// packages, parameters and the receiver. templates/names decides how each is
// written in the generated file.
type Code []Tok

// TokKind says what a Tok stands for.
type TokKind uint8

// Token kinds.
const (
	TokText  TokKind = iota // Text, verbatim: "map[string]*", ".ID", a universe or package-scope identifier
	TokQual                 // Import.Text: a name of another package
	TokParam                // the parameter Params[Index] of the method at hand
	TokRecv                 // the receiver: the wrapped value (s.serviceNext in a wrapper)
)

// Tok is one token of a Code.
type Tok struct {
	Kind   TokKind
	Text   string
	Import Import // for TokQual
	Index  int    // for TokParam
}

// Import is a package as a file refers to it.
type Import struct {
	Path string
	Name string // the package's own name (package clause)
	// Alias is the name that the user's file gave it, or "" for none: the
	// generated file uses it where it is free.
	Alias string
}

// Text makes a Code of one verbatim token.
func Text(s string) Code { return Code{{Kind: TokText, Text: s}} }

// Qual makes a Code that names a member of another package.
func Qual(path, pkg, name string) Code {
	return Code{{Kind: TokQual, Text: name, Import: Import{Path: path, Name: pkg}}}
}

// File is one file to be written: what templates return and the command writes.
type File struct {
	Path    string // absolute
	Content []byte // gofmt-ed; nil with Remove
	Remove  bool   // an orphan: a generated file whose annotations are gone
}
