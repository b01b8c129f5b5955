package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
	"github.com/idemgen/idemgen/templates/sqltext"
)

// idemtestPath is the kit that generated tests call.
const idemtestPath = "github.com/idemgen/idemgen/runtime/idemtest"

// openTest is the function that a user writes for generated tests.
const openTest = "openIdemTest"

// testImports are the packages that generated tests may need, beside fixedImports.
func testImports() []model.Import {
	return append(fixedImports[:len(fixedImports):len(fixedImports)],
		model.Import{Path: "testing", Name: "testing"},
		model.Import{Path: idemtestPath, Name: "idemtest"},
	)
}

// machineTests declares the tests of the machines that ask for them.
func (e *emitter) machineTests() []jen.Code {
	var decls []jen.Code
	for _, m := range e.machines {
		if m.Tests {
			b := &testBuilder{machineBuilder: &machineBuilder{emitter: e, m: m, local: names.NewSet()}}
			b.rows = newTestTable(e.pkg, m.Machine)
			decls = append(decls, b.test())
		}
	}
	return decls
}

// testBuilder builds the test of one machine.
type testBuilder struct {
	*machineBuilder
	rows *testTable
}

// test declares the test: the table of what is legal, and how to fire.
func (b *testBuilder) test() jen.Code {
	m := b.m
	t, db, dialect, g := b.name("t"), b.name("db"), b.name("dialect"), b.name("g")
	schema, drop := b.rows.ddl()
	fields := []jen.Code{
		field("DB", jen.Id(db)),
		field("Dialect", jen.Id(dialect)),
		field("Schema", b.statements(schema)),
		field("Drop", b.statements(drop)),
		field("Insert", b.texts(b.rows.insert())),
		field("Select", b.texts(b.rows.read())),
		field("Key", b.keyMaker()),
		field("States", b.testStates()),
		field("Events", b.testEvents(g)),
		field("Create", b.testCreate(g)),
		field("Initial", b.code(m.Initial.Const)),
	}
	return jen.Comment(b.testDoc()).Line().
		Func().Id(m.test).Params(jen.Id(t).Op("*").Add(b.use("testing", "T"))).Block(
		jen.List(jen.Id(db), jen.Id(dialect)).Op(":=").Id(openTest).Call(jen.Id(t)),
		jen.Id(g).Op(":=").Id(m.newGuard).Call(jen.Id(dialect)),
		b.use(idemtestPath, "TestMachine").Call(jen.Id(t), b.use(idemtestPath, "Machine").Types(b.typ(), b.keyType()).Add(rows(fields...))),
	)
}

// testDoc tells the user what to write. Its code is indented, as gofmt wants it.
func (b *testBuilder) testDoc() string {
	lines := []string{
		b.m.test + " runs the state machine " + b.m.Name + " on a database: every event in every state, legal or refused,",
		"and each event fired by many callers at once.",
		"",
		openTest + " is yours to write, in a test file of this package. It returns a database that the test has to",
		"itself and that has none of its tables; for SQLite let the pool have one connection:",
		"",
		"\tfunc " + openTest + "(t *testing.T) (idem.DB, idem.Dialect) {",
		"\t\tdb, err := sql.Open(\"sqlite\", \":memory:\") // or what an environment variable names",
		"\t\tif err != nil {",
		"\t\t\tt.Fatal(err)",
		"\t\t}",
		"\t\tt.Cleanup(func() { db.Close() })",
		"\t\tdb.SetMaxOpenConns(1)",
		"\t\treturn sqlstore.DB(db), idem.SQLite",
		"\t}",
	}
	if b.ownKeys() {
		lines = append(lines, "", "So is func "+b.m.testKey+"(n int) "+b.table.Code(b.keyCode())+", which makes the key of the nth row.")
	}
	for i, l := range lines {
		switch {
		case l == "":
			lines[i] = "//"
		case l[0] == '\t':
			lines[i] = "//" + l
		default:
			lines[i] = "// " + l
		}
	}
	return strings.Join(lines, "\n")
}

// ownKeys tells whether the user has to make the keys: no literal says them.
func (b *testBuilder) ownKeys() bool {
	switch b.m.KeyKind {
	case model.KindString, model.KindBytes, model.KindInt, model.KindUint, model.KindByteArray:
		return false
	}
	return true
}

// statements writes the DDL in every dialect.
func (b *testBuilder) statements(list [len(sqltext.Dialects)][]string) jen.Code {
	var fields []jen.Code
	for i, name := range []string{"SQLite", "Postgres", "MySQL"} {
		var stmts []jen.Code
		for _, s := range list[i] {
			stmts = append(stmts, row(lit(s)))
		}
		fields = append(fields, field(name, jen.Index().String().Add(rows(stmts...))))
	}
	return b.use(idemtestPath, "Statements").Add(rows(fields...))
}

func (b *testBuilder) texts(list [len(sqltext.Dialects)]string) jen.Code {
	var fields []jen.Code
	for i, name := range []string{"SQLite", "Postgres", "MySQL"} {
		fields = append(fields, field(name, lit(list[i])))
	}
	return b.idem("SQL").Add(rows(fields...))
}

// keyMaker writes the function that makes keys. A type that no literal says is the
// user's to make.
func (b *testBuilder) keyMaker() jen.Code {
	if b.ownKeys() {
		return jen.Id(b.m.testKey)
	}
	n := b.name("n")
	var value *jen.Statement
	switch b.m.KeyKind {
	case model.KindString, model.KindBytes:
		value = b.converted(b.keyCode(), jen.Lit("row ").Op("+").Add(b.use("strconv", "Itoa")).Call(jen.Id(n)))
	case model.KindInt, model.KindUint:
		value = b.keyType().Call(jen.Id(n))
	case model.KindByteArray:
		value = b.keyType().Values(jen.Byte().Call(jen.Id(n).Op(">>").Lit(8)), jen.Byte().Call(jen.Id(n)))
	}
	return jen.Func().Params(jen.Id(n).Int()).Add(b.keyType()).Block(jen.Return(value))
}

// converted writes T(v), or v where it has the type already.
func (b *testBuilder) converted(c model.Code, v *jen.Statement) *jen.Statement {
	if identity(c) == "string" {
		return v
	}
	return b.code(c).Parens(v)
}
