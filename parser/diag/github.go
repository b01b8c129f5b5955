package diag

import (
	"strconv"
	"strings"
)

// GitHub shows ds as workflow commands, one line each, which GitHub turns into
// annotations of a pull request:
//
//	::error file=orders.go,line=41,col=27,title=IDEM104::unknown argument "ttk" for //idem:once%0Adid you mean "ttl"?
//
// base should be the root of the repository. The order is that of ds.
func GitHub(ds []Diagnostic, base string) string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, d := range ds {
		b.WriteString("::" + severity(d) + " ")
		if file := slashed(d.Pos, base); file != "" {
			b.WriteString("file=" + property.Replace(file) + ",")
			if d.Pos.Line > 0 {
				b.WriteString("line=" + strconv.Itoa(d.Pos.Line) + ",")
			}
			if d.Pos.Line > 0 && d.Pos.Col > 0 {
				b.WriteString("col=" + strconv.Itoa(d.Pos.Col) + ",")
			}
		}
		b.WriteString("title=" + property.Replace(string(d.Code)) + "::")
		message := d.Message
		if d.Hint != "" {
			message += "\n" + d.Hint
		}
		for _, r := range d.Related {
			message += "\n"
			if at := place(r.Pos, base); at != "" {
				message += at + ": "
			}
			message += r.Message
		}
		b.WriteString(data.Replace(message) + "\n")
	}
	return b.String()
}
