package diag

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"github.com/idemgen/idemgen/internal/model"
)

// jsonDiagnostic is the published form: fields are only ever added.
type jsonDiagnostic struct {
	Code     Code          `json:"code"`
	Severity string        `json:"severity"` // "error" or "warning"
	File     string        `json:"file,omitempty"`
	Line     int           `json:"line,omitempty"`
	Column   int           `json:"column,omitempty"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
}

type jsonRelated struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

// JSON shows ds as one array, `[]` when there are none, with a line end. Files
// inside base are relative to it and use slashes. Lines and columns count from
// 1, columns count bytes; a field that is not known is left out. The order is
// that of ds.
func JSON(ds []Diagnostic, base string) string {
	out := make([]jsonDiagnostic, 0, len(ds))
	for _, d := range ds {
		j := jsonDiagnostic{
			Code: d.Code, Severity: severity(d), File: slashed(d.Pos, base), Line: d.Pos.Line, Column: d.Pos.Col,
			Message: d.Message, Hint: d.Hint,
		}
		for _, r := range d.Related {
			j.Related = append(j.Related, jsonRelated{
				File: slashed(r.Pos, base), Line: r.Pos.Line, Column: r.Pos.Col, Message: r.Message,
			})
		}
		out = append(out, j)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		// Strings and ints always encode: json replaces invalid UTF-8.
		panic("diag: " + err.Error())
	}
	return b.String()
}

func severity(d Diagnostic) string {
	if d.Warning {
		return "warning"
	}
	return "error"
}

func slashed(p model.Pos, base string) string {
	if p.File == "" {
		return ""
	}
	return filepath.ToSlash(relative(p.File, base))
}
