package diag

// Info is one row of the table of codes: all that `idemgen explain CODE` and
// the reference say about it.
type Info struct {
	Code  Code
	Title string // short, lower case
	What  string // what is wrong and why it is refused, whole sentences
	Wrong string // an example that gets the code
	Right string // the same intention written well
}

// Codes returns the table of all codes in ascending order. Ranges: 1xx
// directive syntax and attachment, 2xx signatures and types, 3xx what the
// arguments of the layers mean, 4xx state machines and versions, 5xx names, 6xx files,
// packages and loading. The caller owns the slice.
func Codes() []Info {
	var all []Info
	for _, part := range [][]Info{syntaxCodes(), typeCodes(), layerCodes(), stackCodes(), machineCodes(), guardCodes(), versionCodes(), nameCodes(), fileCodes(), specCodes()} {
		all = append(all, part...)
	}
	return all
}

// Describe returns the row of a code; ok is false for a code that does not exist.
func Describe(code Code) (info Info, ok bool) {
	for _, i := range Codes() {
		if i.Code == code {
			return i, true
		}
	}
	return Info{}, false
}
