package templates

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// use names a member of a package that the file imports, or of the package itself.
func (e *emitter) use(path, name string) *jen.Statement {
	if pkg := e.table.Use(path); pkg != "" {
		return jen.Id(pkg).Dot(name)
	}
	return jen.Id(name)
}

// idem names a member of the runtime.
func (e *emitter) idem(name string) *jen.Statement { return e.use(idemPath, name) }

// ctxType is context.Context.
func (e *emitter) ctxType() *jen.Statement { return e.use("context", "Context") }

// code writes a type or an expression of the model at package scope.
func (e *emitter) code(c model.Code) *jen.Statement { return jen.Id(e.table.Code(c)) }

// rows are the lines of a composite literal: one element a line, comments allowed.
func rows(items ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Multi: true}, items...)
}

// row is one element of rows.
func row(item *jen.Statement) *jen.Statement { return item.Op(",") }

// field is one row of a struct literal.
func field(name string, value jen.Code) *jen.Statement { return row(jen.Id(name).Op(":").Add(value)) }

// doc writes a doc comment: each element is a line, "" an empty one.
func doc(lines ...string) *jen.Statement {
	out := make([]string, len(lines))
	for i, l := range lines {
		// Text of the user's (a key expression) must stay inside its line.
		// Two quotes would become one typographic one when gofmt rewrites the comment.
		l = docQuotes.Replace(strings.Join(strings.Fields(l), " "))
		out[i] = strings.TrimRight("// "+l, " ")
	}
	return jen.Comment(strings.Join(out, "\n"))
}

var docQuotes = strings.NewReplacer("''", `"`, "``", "`")

// lit is a Go string literal in the form that is easiest to read.
func lit(s string) *jen.Statement {
	if strings.ContainsAny(s, `"\`) && strconv.CanBackquote(s) {
		return jen.Id("`" + s + "`")
	}
	return jen.Id(strconv.Quote(s))
}

// ids turns names into code.
func ids(names ...string) []jen.Code {
	out := make([]jen.Code, len(names))
	for i, n := range names {
		out[i] = jen.Id(n)
	}
	return out
}

// typeParams writes [K ids.Key, V any], or nothing.
func (e *emitter) typeParams(tps []model.TypeParam) jen.Code {
	if len(tps) == 0 {
		return jen.Null()
	}
	var list []jen.Code
	for _, tp := range tps {
		list = append(list, jen.Id(tp.Name).Add(e.code(tp.Constraint)))
	}
	return jen.Types(list...)
}

// typeArgs writes [K, V], or nothing.
func typeArgs(tps []model.TypeParam) jen.Code {
	if len(tps) == 0 {
		return jen.Null()
	}
	var list []jen.Code
	for _, tp := range tps {
		list = append(list, jen.Id(tp.Name))
	}
	return jen.Types(list...)
}

// zero is the zero value of a type as a literal, or "" where only a variable of
// the type can say it.
func zero(c model.Code) string {
	if len(c) == 0 || c[0].Kind != model.TokText {
		return ""
	}
	text := strings.TrimSpace(c[0].Text)
	for _, prefix := range []string{"*", "[]", "map[", "chan ", "chan<-", "<-chan", "func(", "interface{", "interface {"} {
		if strings.HasPrefix(text, prefix) {
			return "nil"
		}
	}
	if len(c) > 1 {
		return ""
	}
	switch text {
	case "any", "error":
		return "nil"
	case "string":
		return `""`
	case "bool":
		return "false"
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune", "float32", "float64":
		return "0"
	}
	return ""
}
