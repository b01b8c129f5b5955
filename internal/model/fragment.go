package model

// Frag is a piece of SQL that the user wrote (where=, the right side of an
// assignment), read into tokens, so that each dialect writes it in its own way.
// Written out it stands in parentheses where anything is put beside it.
type Frag []FragToken

// FragToken is one token of a fragment.
type FragToken struct {
	Kind FragKind
	// Text is the word, operator, number or space as written; of a FragName and a
	// FragText what stands inside the quotes, unescaped.
	Text string
	// Param is the index of a FragParam in the list of parameters of its owner.
	Param int
	// Value is the constant that a FragValue stands for.
	Value SQLValue
	// Const names that constant in Go, for the line that stops compiling when it
	// changes; nil when it is no constant. Literal is its Go literal.
	Const   Code
	Literal string
}

// FragKind is the kind of a token.
type FragKind uint8

// Kinds of tokens.
const (
	FragWord   FragKind = iota // bare word: a column, keyword or function; written as it is
	FragName                   // quoted name: written in the dialect's quotes
	FragParam                  // :amount, a parameter of the generated function
	FragValue                  // :Paid, a constant of Go: written as a literal
	FragText                   // 'text' literal
	FragNumber                 // number literal
	FragOp                     // operator, comma or parenthesis
	FragSpace                  // one blank between two tokens
)

// Assign is one assignment: Column = Expr.
type Assign struct {
	Pos    Pos
	Column string // unquoted
	Expr   Frag
}

// SQLParam is a parameter of a generated function that a fragment names.
type SQLParam struct {
	Pos  Pos
	Name string // as written behind the colon: paidAt
	Type Code   // string unless params= or the column's field says otherwise
	Kind Kind
}

// Version is one optimistically locked struct (V1 to V3).
type Version struct {
	Pos        Pos
	Name       string // Account: prefix of generated names
	Type       Code   // Go type of the struct
	TypeParams []TypeParam
	Table      []string // schema first
	Key        []Column // the columns that select the row, usually one
	Column     Column   // the version column, a 64-bit integer
	// Where is the predicate that a row must meet to be found at all, as in Machine.
	Where   Frag
	Params  []SQLParam
	Updates []*Update
}

// Column is a column and the field of the struct that holds it.
type Column struct {
	Name  string // version
	Field string // Version, or a path through embedded structs: Base.Version
	Type  Code
	Kind  Kind
}

// Update is one //idem:update of a version.
type Update struct {
	Pos  Pos
	Name string // Deduct
	Set  []Assign
	// Columns are those of the form set=status,paid_at: written from the struct.
	// Either Set or Columns is given; with Columns the function takes the struct.
	Columns []Column
	Where   Frag // must hold besides, or the outcome is Guard; nil for none
	// Params are the parameters of Set and Where; they begin with the version's Params.
	Params []SQLParam
}
