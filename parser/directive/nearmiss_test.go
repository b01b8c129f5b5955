package directive

import "testing"

// onFunc puts a comment line above a function; the line is line 3.
func onFunc(line string) string { return "package a\n\n" + line + "\nfunc F() {}\n" }

func TestLaw_G4_NearMissesAreErrors(t *testing.T) {
	for _, h := range []hazard{
		{"space", onFunc("// idem:once key=a"), []string{
			"3:4 IDEM101 not a directive: there is a space behind the slashes | write //idem:once at the start of a line of its own"}},
		{"two spaces", onFunc("//  idem:once key=a"), []string{"3:5 IDEM101 not a directive: there is a space…"}},
		{"tab", onFunc("//\tidem:once key=a"), []string{"3:4 IDEM101 not a directive: there is a space…"}},
		{"no-break space", onFunc("//\u00a0idem:once key=a"), []string{"3:5 IDEM101 not a directive: there is a space…"}},
		{"byte order mark", onFunc("//\ufeffidem:once key=a"), []string{"3:6 IDEM101 not a directive: there is a space…"}},
		{"space and misspelt", onFunc("// idem:onec key=a"), []string{
			"3:4 IDEM101 not a directive: there is a space behind the slashes | write //idem:once at the start of a line of its own"}},
		{"space and capital", onFunc("// Idem:Once key=a"), []string{"3:4 IDEM101 not a directive: there is a space…"}},
		{"capital prefix", onFunc("//Idem:once key=a"), []string{
			"3:3 IDEM101 not a directive: idem is written in lower case | write //idem:once at the start of a line of its own"}},
		{"upper case prefix", onFunc("//IDEM:once key=a"), []string{"3:3 IDEM101 not a directive: idem is written in lower case…"}},
		{"mixed case prefix", onFunc("//iDeM:once key=a"), []string{"3:3 IDEM101 not a directive: idem is written in lower case…"}},
		{"capital name", onFunc("//idem:Once key=a"), []string{
			"3:8 IDEM101 not a directive: the name is written in lower case | write //idem:once"}},
		{"capital name of another", onFunc("//idem:Token"), []string{
			"3:8 IDEM101 not a directive: the name is written in lower case | write //idem:token"}},
		{"space behind colon", onFunc("//idem: once key=a"), []string{
			"3:8 IDEM101 not a directive: there is a space around the colon | write //idem:once"}},
		{"space before colon", onFunc("//idem :once key=a"), []string{"3:3 IDEM101 not a directive: there is a space around the colon…"}},
		{"spaces everywhere", onFunc("// idem : once key=a"), []string{"3:4 IDEM101 not a directive: there is a space…"}},
		{"block comment", onFunc("/*idem:once key=a*/"), []string{
			"3:3 IDEM101 not a directive: it stands in a block comment | write //idem:once at the start of a line of its own"}},
		{"spaced block comment", onFunc("/* idem:once key=a */"), []string{"3:4 IDEM101 not a directive: it stands in a block comment…"}},
		{"block comment over lines", "package a\n\n/*\nPay pays.\n\nidem:once key=a\n*/\nfunc F() {}\n", []string{
			"6:1 IDEM101 not a directive: it stands in a block comment…"}},
		{"block comment with stars and CRLF", "package a\r\n\r\n/**\r\n * Pay.\r\n *\tidem:once key=a\r\n */\r\nfunc F() {}\r\n", []string{
			"5:4 IDEM101 not a directive: it stands in a block comment…"}},
		{"block comment before code", "package a\n\n/*idem:once key=a*/ func F() {}\n", []string{
			"3:3 IDEM101 not a directive: it stands in a block comment…"}},
		{"block comment behind a string with its mark", "package a\n\nvar glob = \"/*\"\n\n/*idem:once key=a*/\nfunc F() {}\n", []string{
			"5:3 IDEM101 not a directive: it stands in a block comment…"}},
		{"three slashes", onFunc("///idem:once key=a"), []string{"3:4 IDEM101 not a directive: there is a slash too many…"}},
		{"three slashes and a space", onFunc("/// idem:once key=a"), []string{"3:5 IDEM101 not a directive: there is a slash too many…"}},
		{"no colon", onFunc("//idem once key=a"), []string{"3:3 IDEM101 not a directive: the colon is missing…"}},
		{"dot for colon", onFunc("//idem.once key=a"), []string{"3:3 IDEM101 not a directive: the colon is missing…"}},
		{"full-width colon", onFunc("//idem：once key=a"), []string{
			"3:3 IDEM101 not a directive: the colon is a full-width one | write //idem:once at the start of a line of its own"}},
		{"at sign", onFunc("//@idem:once key=a"), []string{"3:4 IDEM101 not a directive: the prefix is idem…"}},
		{"space and at sign", onFunc("// @idem:once key=a"), []string{"3:5 IDEM101 not a directive…"}},
		{"name of the tool", onFunc("//idemgen:once key=a"), []string{
			"3:3 IDEM101 not a directive: the prefix is idem | write //idem:once at the start of a line of its own"}},
		{"misspelt prefix", onFunc("//iden:once key=a"), []string{"3:3 IDEM101 not a directive: the prefix is idem…"}},
		{"misspelt name", onFunc("//idem:tokn"), []string{`3:8 IDEM102 unknown directive //idem:tokn | did you mean "token"?`}},
		{"swapped letters", onFunc("//idem:onec key=a"), []string{`3:8 IDEM102 unknown directive //idem:onec | did you mean "once"?`}},
		{"unheard-of name", onFunc("//idem:frobnicate"), []string{"3:8 IDEM102 unknown directive //idem:frobnicate"}},
		{"no name", onFunc("//idem:"), []string{"3:8 IDEM102 the name of the directive is missing…"}},
		{"no name but a space", onFunc("//idem: "), []string{"3:8 IDEM102 the name of the directive is missing…"}},
		{"no space behind the name", onFunc("//idem:once,key=a"), []string{"3:12 IDEM103 a space is missing behind //idem:once"}},
		{"parentheses behind the name", onFunc("//idem:once(key=a)"), []string{"3:12 IDEM103 a space is missing behind //idem:once"}},
		{"in a body", "package a\n\nfunc F() {\n\t// idem:once key=a\n}\n", []string{"4:5 IDEM101 not a directive: there is a space…"}},
	} {
		h.run(t)
	}
}

func TestLaw_G4_ProseIsNotAnError(t *testing.T) {
	for name, line := range map[string]string{
		"mid-sentence":             "// F uses idem:once to guard itself.",
		"mid-sentence with marks":  "// F is guarded by //idem:once key=a.",
		"quoted":                   "// \"idem:once key=a\" is a directive.",
		"placeholder":              "// idem:<name> is a directive.",
		"prefix alone":             "// idem: is the prefix.",
		"error text":               "// idem: request in progress",
		"error text, known word":   "// idem: lock held",
		"code of a diagnostic":     "// IDEM104: unknown argument",
		"another word":             "// idempotent methods are good",
		"another tool":             "//go:generate idemgen gen",
		"another tool's verb":      "//ident:once",
		"code commented out":       "//idem.Lock(ctx)",
		"Go code commented out":    "// idem.Once(ctx, store, call, run)",
		"directive commented out":  "// //idem:once key=a",
		"toggled off by an editor": "////idem:once key=a",
		"in a code block":          "//\t//idem:once key=a",
		"block prose":              "/* F uses idem:once. */",
		"block with old code":      "/*\n//idem:once key=a\n*/",
		"only the word":            "// idem",
		"item":                     "//item:update",
	} {
		hazard{name, onFunc(line), nil}.run(t)
	}
	hazard{"strings", "package a\n\nvar a, b = \"//idem:once\", `\n//idem:once key=a\n/*idem:once*/\n// idem:once\n`\n", nil}.run(t)
}
