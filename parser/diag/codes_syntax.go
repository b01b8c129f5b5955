package diag

// Codes of directive syntax and attachment.
const (
	CodeNearMiss          Code = "IDEM101" // a comment that looks like a directive and is none
	CodeUnknownDirective  Code = "IDEM102" // no directive has this name
	CodeSyntax            Code = "IDEM103" // quotes, brackets, characters
	CodeUnknownArgument   Code = "IDEM104" // no argument has this name
	CodeRepeatedArgument  Code = "IDEM105" // one argument or list element twice
	CodeMissingValue      Code = "IDEM106" // key without =value, or nothing after =
	CodeBadValue          Code = "IDEM107" // not one of the values that the argument takes
	CodeMissingArgument   Code = "IDEM108" // a required argument is not there
	CodeUnexpectedWord    Code = "IDEM109" // a word that is no argument, or a value for a flag
	CodeContradiction     Code = "IDEM110" // arguments or directives that exclude each other
	CodeRepeatedDirective Code = "IDEM111" // one directive twice on a declaration
	CodeDetached          Code = "IDEM112" // behind a blank line, before nothing
	CodeInsideBody        Code = "IDEM113" // inside a function body
	CodeMisplaced         Code = "IDEM114" // on a declaration that it is not for
	CodeSameLine          Code = "IDEM115" // behind code on the same line
	CodeGeneratedFile     Code = "IDEM116" // in a generated file
	CodeBadExpression     Code = "IDEM118" // not a Go expression
	CodeBadDuration       Code = "IDEM119" // zero, negative, under a millisecond, unparsable
	CodeBadSize           Code = "IDEM120" // not a number of bytes
	CodeTransitionSyntax  Code = "IDEM121" // not Event A,B -> C
	CodeWildcardTarget    Code = "IDEM122" // -> *
	CodeMixedWildcard     Code = "IDEM123" // * together with named states
)

func syntaxCodes() []Info {
	return []Info{
		{CodeNearMiss, "comment looks like a directive but is none",
			"A directive is a line comment that starts with exactly //idem: and a lower case name: no space, no capital, no block comment. Anything else would be ignored in silence, and the method would run unguarded, so it is refused. To mention a directive in prose, do not start the line with it.",
			"// idem:once key=orderID", "//idem:once key=orderID"},
		{CodeUnknownDirective, "unknown directive",
			"No directive has this name.",
			"//idem:onec key=orderID", "//idem:once key=orderID"},
		{CodeSyntax, "directive can't be read",
			"A directive is a name and arguments separated by spaces. A value is bare, a Go string or a raw string; quotes and brackets must be closed on the same line, and invisible characters are refused.",
			`//idem:once key="orderID`, `//idem:once key="orderID"`},
		{CodeUnknownArgument, "unknown argument",
			"The directive has no argument of this name.",
			"//idem:once key=orderID ttk=24h", "//idem:once key=orderID ttl=24h"},
		{CodeRepeatedArgument, "argument or element given twice",
			"Each argument is given at most once, and a list names each element once: with two it is not clear which one is meant.",
			"//idem:once key=orderID ttl=1h ttl=24h", "//idem:once key=orderID ttl=24h"},
		{CodeMissingValue, "value missing",
			"The argument needs a value, written name=value without spaces around the equals sign. A list has no empty elements.",
			"//idem:once key=", "//idem:once key=orderID"},
		{CodeBadValue, "value not allowed",
			"The argument takes one of a few values, or a value of another form.",
			"//idem:once key=orderID orphan=retry", "//idem:once key=orderID orphan=rerun"},
		{CodeMissingArgument, "required argument missing",
			"The directive can't work without this argument.",
			"//idem:once ttl=24h", "//idem:once key=orderID ttl=24h"},
		{CodeUnexpectedWord, "unexpected word",
			"The word is neither an argument with a value nor a flag of this directive. A list is written without spaces, or in quotes.",
			"//idem:once key=orderID twice", "//idem:once key=orderID"},
		{CodeContradiction, "arguments or directives exclude each other",
			"Two things were asked for that can't both hold.",
			"//idem:once key=orderID result=none maxresult=1MiB", "//idem:once key=orderID result=none"},
		{CodeRepeatedDirective, "directive given twice",
			"A declaration carries this directive at most once.",
			"//idem:once key=tenantID\n//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, tenantID, orderID string) error", "//idem:once key=tenantID,orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, tenantID, orderID string) error"},
		{CodeDetached, "directive belongs to no declaration",
			"A directive belongs to the declaration whose doc comment it stands in. Behind it came a blank line or the end of the file, so that it would guard nothing.",
			"//idem:once key=orderID\n\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error", "//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeInsideBody, "directive inside a function body",
			"A directive stands in the doc comment of a declaration of package scope. Inside a function it would guard nothing.",
			"func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error {\n\t//idem:once key=orderID\n\treturn nil\n}", "//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error {\n\treturn nil\n}"},
		{CodeMisplaced, "directive on the wrong kind of declaration",
			"Each directive is for certain declarations: once and fire guard methods and functions, statemachine and transition describe a type or a block of constants.",
			"//idem:once key=ID\ntype Order struct{ ID string }", "//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeSameLine, "directive behind code",
			"A directive stands on a line of its own, above the declaration.",
			"func Pay(orderID string) error { //idem:once key=orderID orphan=hold\n\treturn nil\n}", "//idem:once key=orderID orphan=hold\nfunc Pay(orderID string) error {\n\treturn nil\n}"},
		{CodeGeneratedFile, "directive in a generated file",
			"The file says that it is generated: the directive would be gone after the next run of its generator. Annotate a hand-written declaration, or describe the method in idem.yaml.",
			"// Code generated by sqlc. DO NOT EDIT.\n\npackage orders\n\n//idem:once key=orderID orphan=hold\nfunc Pay(orderID string) error", "package orders // written by hand\n\n//idem:once key=orderID orphan=hold\nfunc Pay(orderID string) error"},
		{CodeBadExpression, "not a Go expression",
			"The value must be a Go expression over the receiver and the parameters, such as req.Order.ID.",
			"//idem:once key=req.", "//idem:once key=req.ID"},
		{CodeBadDuration, "bad duration",
			"A duration is written as in Go (300ms, 24h), is a positive whole number of milliseconds and at most a hundred years. A lease or retention of nothing would let every duplicate through. ttl=never keeps a record for ever.",
			"//idem:once key=orderID ttl=24", "//idem:once key=orderID ttl=24h"},
		{CodeBadSize, "bad size",
			"A size is a positive whole number of bytes, alone or with B, KB, MB, GB (powers of 1000) or KiB, MiB, GiB (powers of 1024).",
			"//idem:once key=orderID maxresult=1Meg", "//idem:once key=orderID maxresult=1MiB"},
		{CodeTransitionSyntax, "not a transition",
			"A transition reads: event, source states, ->, one target state. A transition that names no target is refused: it is not taken for one that stays where it is.",
			"//idem:transition Pay Created ->", "//idem:transition Pay Created -> Paid"},
		{CodeWildcardTarget, "wildcard as a target",
			"* means every state and is for the source side only: an event leads to one state.",
			"//idem:transition Reset Paid -> *", "//idem:transition Reset Paid -> Created"},
		{CodeMixedWildcard, "wildcard together with states",
			"* already stands for every state. To leave some out, subtract them.",
			"//idem:transition Cancel *,Paid -> Cancelled", "//idem:transition Cancel * - Done,Failed -> Cancelled"},
	}
}
