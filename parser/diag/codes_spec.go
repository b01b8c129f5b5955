package diag

// Codes of idem.yaml: its form, and what it names. What its directives say has the
// codes of directives in comments.
const (
	CodeYAMLSyntax      Code = "IDEM620" // the file is not YAML, or not text
	CodeYAMLFeature     Code = "IDEM621" // anchors, aliases, tags, merges, several documents
	CodeYAMLKey         Code = "IDEM622" // an unknown key
	CodeYAMLTwice       Code = "IDEM623" // a key is there twice
	CodeYAMLShape       Code = "IDEM624" // a mapping where a text is wanted, and the like
	CodeYAMLVersion     Code = "IDEM625" // version: is missing or unknown
	CodeYAMLPackage     Code = "IDEM626" // the package is not there
	CodeYAMLOutside     Code = "IDEM627" // the package is not below the file
	CodeYAMLDeclaration Code = "IDEM628" // the declaration is not there
	CodeYAMLBoth        Code = "IDEM629" // described twice: in Go and in YAML, or in two files
	CodeYAMLImport      Code = "IDEM630" // an import that is not one, or whose name is taken
	CodeYAMLType        Code = "IDEM631" // a type that idem.yaml can't declare
	CodeYAMLState       Code = "IDEM632" // a literal that is no value of its type
	CodeYAMLTest        Code = "IDEM633" // the declaration is in a test file
	CodeYAMLForeign     Code = "IDEM634" // a method of a foreign interface that can't be guarded here
)

func specCodes() []Info {
	const (
		head  = "version: 1\npackages:\n  ./orders:\n"
		decls = head + "    declarations:\n"
		once  = "      Service.Pay:\n        once: {key: id, orphan: hold}"
	)
	return []Info{
		{CodeYAMLSyntax, "idem.yaml does not parse",
			"The file is not YAML, not UTF-8, too large, or has characters that a reader would not see. Indentation is made of spaces.",
			decls + "\tService.Pay:\n        once: {key: id, orphan: hold}", decls + once},
		{CodeYAMLFeature, "feature of YAML that idem.yaml does without",
			"Anchors, aliases, merge keys, tags and several documents make it hard to see what is said of a method, so they are refused: write the values out.",
			decls + "      Service.Pay:\n        once: &std {key: id, orphan: hold}", decls + once},
		{CodeYAMLKey, "unknown key",
			"The key means nothing at this place. Keys are checked so that a misspelt one is not ignored.",
			"version: 1\npackges: {}", "version: 1\npackages: {}"},
		{CodeYAMLTwice, "key given twice",
			"A mapping has the same key twice, or one package under two names; one of the two would be ignored.",
			head + "    declarations: {}\n  ./orders:\n    declarations: {}", head + "    declarations: {}"},
		{CodeYAMLShape, "wrong kind of value",
			"The value is a mapping, a list or nothing where something else is wanted.",
			"version: 1\npackages: ./orders", decls + once},
		{CodeYAMLVersion, "version of idem.yaml",
			"The first key says which form of the file this is, so that later forms can't be misread. This version of idemgen knows version 1.",
			"packages: {}", "version: 1\npackages: {}"},
		{CodeYAMLPackage, "unknown package",
			"No folder with Go files belongs to the package. Packages are named by import path, or by a folder relative to the file: ./orders.",
			"version: 1\npackages:\n  ./ordres:\n    declarations:\n" + once, decls + once},
		{CodeYAMLOutside, "package is not below the file",
			"An idem.yaml speaks of packages of its own module, in its own folder and the folders below: so a run finds it from any of these packages.",
			"version: 1\npackages:\n  ../billing:\n    declarations:\n" + once, "version: 1 # in the folder above\npackages:\n  ./billing:\n    declarations:\n" + once},
		{CodeYAMLDeclaration, "unknown declaration",
			"The package declares no such type, function, constant or method. A declaration is named as in Go: Service.Pay, Create, Status, or any constant of a block. A type that no Go file declares needs type: or states:.",
			decls + "      Service.Pya:\n        once: {key: id, orphan: hold}", decls + once},
		{CodeYAMLBoth, "described twice",
			"A declaration is described in one place: by comments, or in one idem.yaml.",
			decls + "      Service.Refund: # which has a comment //idem:once\n        once: {key: id, orphan: hold}", decls + once},
		{CodeYAMLImport, "import",
			"An import is a name and the path of a package that the module can import. A name means one package, in all files of the package and in idem.yaml.",
			head + "    imports: {pb: shop pb}\n    declarations:\n" + once, head + "    imports: {pb: example.com/shop/pb}\n    declarations:\n" + once},
		{CodeYAMLType, "type that idem.yaml can't declare",
			"type: makes idemgen declare the type: a string or integer type for states, or an alias of an exported type of another package. A type that Go code declares needs none.",
			decls + "      Stage:\n        type: map[string]int\n        states: {Paid: P}", decls + "      Stage:\n        type: string\n        states: {Paid: P}"},
		{CodeYAMLState, "state that is no value of its type",
			"states: gives each state a Go name and the literal that the column holds; it has to fit the type.",
			decls + "      Stage:\n        type: int8\n        states: {Open: 1, Paid: 300}\n        statemachine: {table: orders, key: id, column: stage, initial: Open, final: Paid}\n        transition: {Pay: Open -> Paid}", decls + "      Stage:\n        type: int16\n        states: {Open: 1, Paid: 300}\n        statemachine: {table: orders, key: id, column: stage, initial: Open, final: Paid}\n        transition: {Pay: Open -> Paid}"},
		{CodeYAMLTest, "declaration in a test file",
			"idem.yaml is for code that can't carry comments; tests can.",
			decls + "      FakeService.Pay:\n        once: {key: id, orphan: hold}", "//idem:once key=id orphan=hold\nfunc (s *FakeService) Pay(id string) error"},
		{CodeYAMLForeign, "method of a foreign interface",
			"The signature of the method can't be written in this package: it names types that are not exported, or have no name. Declare an interface of your own, with the methods that you need.",
			"version: 1\npackages:\n  ./orders:\n    imports: {pay: example.com/shop/pay}\n    declarations:\n      Gateway: {type: pay.Client}\n      Gateway.Open: # Open(id string, o options) error\n        once: {key: id, orphan: hold}",
			"type Gateway interface {\n\t//idem:once key=id orphan=hold\n\tCharge(id string) error\n}"},
	}
}
