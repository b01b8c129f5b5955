// Package reference writes the reference pages of the documentation from the tables
// that the code itself works by: the registry of directives, the table of diagnostics
// and the table of outcomes. What stands on a page can't drift from what the command
// does; docs/reference holds the pages as files, and a test compares them.
package reference

import (
	"bytes"
	"fmt"
	"strings"
)

// Page is one page of the reference, in Markdown.
type Page struct {
	Name  string // directives: the name of the file without .md
	Title string // of the page
	About string // one line for a list of pages
	write func(*bytes.Buffer)
}

// File is the name of the page's file.
func (p Page) File() string { return p.Name + ".md" }

// Markdown is the page, the same bytes on every call.
func (p Page) Markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n<!-- Written by idemgen docs: change the tables in the code, not this file. -->\n\n", p.Title)
	p.write(&b)
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// Pages are all pages in the order of reading. The caller owns the slice.
func Pages() []Page {
	return []Page{
		{Name: "directives", Title: "Directives", About: "every directive and argument, with its default", write: directives},
		{Name: "outcomes", Title: "Outcomes", About: "what a call can come to, as error, HTTP status, gRPC code and answer to a queue", write: outcomes},
		{Name: "diagnostics", Title: "Diagnostics", About: "every code that the command reports", write: diagnostics},
	}
}

// PageNamed is the page of that name; ok is false where there is none.
func PageNamed(name string) (page Page, ok bool) {
	for _, p := range Pages() {
		if p.Name == name {
			return p, true
		}
	}
	return Page{}, false
}

// cell is a text inside a table of Markdown: bars and line breaks would end it.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}

// code is a text as code inside a table; "" stays empty.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}

// goBlock is a fenced block of Go.
func goBlock(b *bytes.Buffer, text string) {
	fmt.Fprintf(b, "```go\n%s\n```\n\n", strings.TrimRight(text, "\n"))
}
