package diag

// Codes of files, packages and loading.
const (
	CodeGoSyntax        Code = "IDEM601" // a Go file does not parse
	CodeLoad            Code = "IDEM602" // a package does not load
	CodeConstraints     Code = "IDEM603" // several build constraints in one package
	CodeNotOurs         Code = "IDEM604" // the output exists without our header
	CodeWrite           Code = "IDEM605" // a file can't be written or removed
	CodeNoPackages      Code = "IDEM606" // a pattern matches nothing
	CodeStale           Code = "IDEM607" // check: the generated file is out of date
	CodeMissingFile     Code = "IDEM608" // check: the generated file is not there
	CodeOrphanFile      Code = "IDEM609" // check: a generated file whose annotations are gone
	CodeInternal        Code = "IDEM610" // a fault of the generator
	CodeSeveralPackages Code = "IDEM611" // several package names in one folder
	CodeOtherModule     Code = "IDEM612" // the package is not in the main module
	CodeRead            Code = "IDEM613" // a file can't be read
)

func fileCodes() []Info {
	return []Info{
		{CodeGoSyntax, "Go file does not parse",
			"The file has a syntax error, so its directives can't be trusted.",
			"func Pay(id string { return nil }", "func Pay(id string) error { return nil }"},
		{CodeLoad, "package does not load",
			"The go command can't load the package or one that it imports.",
			"idemgen gen # go.mod lacks what the package imports", "go mod tidy && idemgen gen"},
		{CodeConstraints, "several build constraints",
			"A package gets one generated file, with one build constraint. The annotated files of this package have different ones: move the annotated code into files with one constraint.",
			"-- a.go --\n//go:build linux\n\npackage orders\n\n//idem:once key=id orphan=hold\nfunc Pay(id string) error\n-- b.go --\n//go:build !windows\n\npackage orders\n\n//idem:once key=id orphan=hold\nfunc Refund(id string) error",
			"-- a.go --\n//go:build linux\n\npackage orders\n\n//idem:once key=id orphan=hold\nfunc Pay(id string) error\n-- b.go --\n//go:build linux\n\npackage orders\n\n//idem:once key=id orphan=hold\nfunc Refund(id string) error"},
		{CodeNotOurs, "file is not ours",
			"A file with the name of our output exists and does not carry our header. It is not overwritten: move or remove it.",
			"idem_gen.go written by hand", "idem_helpers.go written by hand"},
		{CodeWrite, "file can't be written",
			"The operating system refused to write, rename or remove a file. Every file is what it was before, or complete.",
			"", ""},
		{CodeNoPackages, "no packages",
			"The pattern matches no package.",
			"idemgen gen ./oders/...", "idemgen gen ./orders/..."},
		{CodeStale, "generated file is out of date",
			"The checked-in file differs from what the annotations say now. Run idemgen gen and check in the result.",
			"idemgen check # after an edit", "idemgen gen && idemgen check"},
		{CodeMissingFile, "generated file is missing",
			"The package is annotated and has no generated file. Run idemgen gen and check in the result.",
			"idemgen check # before the first gen", "idemgen gen && idemgen check"},
		{CodeOrphanFile, "generated file without annotations",
			"No annotation leads to this file any more. idemgen gen removes it.",
			"idemgen check # after an annotation was removed", "idemgen gen && idemgen check"},
		{CodeInternal, "fault of the generator",
			"The generator made something that it can't accept itself. Nothing was written. Please report it with the input.",
			"", ""},
		{CodeSeveralPackages, "several packages in one folder",
			"The files of one folder belong to different packages.",
			"-- a.go --\npackage orders\n\n//idem:once key=id orphan=hold\nfunc Pay(id string) error\n-- b.go --\npackage order",
			"-- a.go --\npackage orders\n\n//idem:once key=id orphan=hold\nfunc Pay(id string) error\n-- b.go --\npackage orders"},
		{CodeOtherModule, "package of another module",
			"Only packages of the main module or workspace are generated for.",
			"idemgen gen example.com/other/pkg", "idemgen -C ../other gen ./pkg"},
		{CodeRead, "file can't be read",
			"The operating system refused to read a file.",
			"", ""},
	}
}
