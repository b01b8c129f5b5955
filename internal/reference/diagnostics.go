package reference

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/parser/diag"
)

// ranges are the hundreds of the codes.
var ranges = []struct{ digit, title string }{
	{"1", "Directives: syntax and where they stand"},
	{"2", "Signatures and types"},
	{"3", "Arguments of the layers"},
	{"4", "State machines and versions"},
	{"5", "Names"},
	{"6", "Files, packages and loading"},
}

func diagnostics(b *bytes.Buffer) {
	b.WriteString("A diagnostic is one line, `file:line:column: CODE: message`, with a hint below it where there is one. `idemgen explain CODE` prints what stands here. Codes are stable: one that is not used any more is not given to anything else.\n\n")
	codes := diag.Codes()
	for _, r := range ranges {
		fmt.Fprintf(b, "## %s\n\n", r.title)
		for _, i := range codes {
			if !strings.HasPrefix(string(i.Code), "IDEM"+r.digit) {
				continue
			}
			fmt.Fprintf(b, "### %s: %s\n\n%s\n\n", i.Code, i.Title, i.What)
			example(b, "Wrong", i.Wrong)
			example(b, "Right", i.Right)
		}
	}
}

func example(b *bytes.Buffer, word, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "%s:\n\n", word)
	goBlock(b, text)
}
