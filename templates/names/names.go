// Package names decides every identifier of a generated file.
//
// The flow: the templates first choose the package-scope names they declare
// (Fresh against Package.Taken), then New settles the import names of the file
// against those, and every function gets a Scope that settles parameters and
// locals. Who yields is always the same: the user's parameters keep their
// names, imports step aside for parameters and for package scope, and locals of
// the generated code step aside for everything (G1).
//
// Nothing here guesses a package name from its path, and nothing depends on the
// order of a map (G5).
package names

import (
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Set is a set of identifiers. It is only asked for membership, never ranged
// over. A nil Set is empty; Add needs one made by NewSet.
type Set map[string]struct{}

// NewSet makes a set of the names in all lists.
func NewSet(lists ...[]string) Set {
	s := Set{}
	for _, l := range lists {
		s.Add(l...)
	}
	return s
}

// Add puts names into the set; "" and "_" declare nothing and are left out.
func (s Set) Add(names ...string) {
	for _, n := range names {
		if n != "" && n != "_" {
			s[n] = struct{}{}
		}
	}
}

// Has tells whether the name is in the set.
func (s Set) Has(name string) bool {
	_, ok := s[name]
	return ok
}

// universe are the predeclared identifiers of Go 1.26.
var universe = NewSet([]string{
	"any", "bool", "byte", "comparable", "complex128", "complex64", "error", "float32", "float64",
	"int", "int16", "int32", "int64", "int8", "rune", "string",
	"uint", "uint16", "uint32", "uint64", "uint8", "uintptr",
	"false", "iota", "nil", "true",
	"append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make",
	"max", "min", "new", "panic", "print", "println", "real", "recover",
	"init", "main",
})

// Predeclared tells whether name has a meaning in every Go file: a keyword, a
// predeclared identifier, or init and main, which package scope reserves.
func Predeclared(name string) bool { return token.IsKeyword(name) || universe.Has(name) }

// Fresh returns want, or want2, want3, … : the first that is not predeclared
// and in none of the sets.
func Fresh(want string, taken ...Set) string {
	name := want
	for n := 2; Predeclared(name) || inAny(name, taken); n++ {
		name = want + strconv.Itoa(n)
	}
	return name
}

func inAny(name string, sets []Set) bool {
	for _, s := range sets {
		if s.Has(name) {
			return true
		}
	}
	return false
}

// Exported tells whether the name starts with an upper-case letter.
func Exported(name string) bool { return token.IsExported(name) }

// Lower makes an unexported name of an exported one: Status → status,
// HTTPState → httpState, API → api, ID2 → id2. Names without an upper-case
// start are returned as they are.
func Lower(name string) string {
	runes := []rune(name)
	n := 0
	for n < len(runes) && unicode.IsUpper(runes[n]) {
		n++
	}
	// The last capital of a run starts the next word: HTTPState.
	if n > 1 && n < len(runes) && unicode.IsLower(runes[n]) {
		n--
	}
	for i := range n {
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

// Upper makes the first letter upper case: status → Status. A name whose first
// letter has no upper case (支付) is returned as it is.
func Upper(name string) string {
	if name == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

// identifiers returns the identifiers of a piece of Go that are not selected
// from something (x in x.y, not y), in order, with repeats.
func identifiers(text string) []string {
	if strings.IndexFunc(text, isIdentStart) < 0 {
		return nil
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	var out []string
	dot := false
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.IDENT && !dot {
			out = append(out, lit)
		}
		dot = tok == token.PERIOD
	}
}

func isIdentStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }
