package cli

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/templates/schema"
)

// Annotations of goose: comments that stand at the beginning of a line.
const (
	gooseUp    = "-- +goose Up"
	gooseBegin = "-- +goose StatementBegin"
	gooseEnd   = "-- +goose StatementEnd"
)

// gooseText is a script as a migration of goose, which reads line by line and takes
// the semicolon at the end of a line for the end of a statement, also within one.
// There is no way down: nothing that idemgen makes drops a column or a table. It
// fails where a state would read as an annotation, or would be stored otherwise.
func gooseText(s schema.Script) (string, error) {
	statements := s.Statements
	s.Statements = nil
	head := s.Text()
	if strings.Contains(head, "+goose") {
		return "", fmt.Errorf("-goose: a name or state contains +goose, which goose takes for an annotation")
	}
	var b strings.Builder
	b.WriteString(head + "\n" + gooseUp + "\n")
	for _, stmt := range statements {
		switch {
		case strings.Contains(stmt, "\r"):
			return "", fmt.Errorf("-goose: a state contains a carriage return, which goose does not keep")
		case strings.Contains(stmt, ";") || strings.Contains(stmt, "--"):
			fmt.Fprintf(&b, "\n%s\n%s;\n%s\n", gooseBegin, stmt, gooseEnd)
		default:
			fmt.Fprintf(&b, "\n%s;\n", stmt)
		}
	}
	return b.String(), nil
}
