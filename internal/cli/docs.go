package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/reference"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
	"github.com/idemgen/idemgen/parser/spec"
)

var docsCommand = &command{
	name: "docs", args: "[page|directive]", topic: topicOptional, run: (*app).docs,
	summary: "print the reference of directives, outcomes and diagnostics",
	about: `Docs prints a page of the reference in Markdown: directives, outcomes or
diagnostics, or the part of one directive, such as once. Without an argument it
lists them. The pages are made from the tables that the command itself works by.
The page schema is the JSON schema of idem.yaml, for editors.`,
	examples: `  idemgen docs directives
  idemgen docs once
  idemgen docs schema > idem.schema.json
`,
}

// schemaPage is the one page that is no Markdown.
const schemaPage = "schema"

// docs prints a page, or a part of one.
func (a *app) docs(_ context.Context, opts *options) int {
	if opts.topic == "" {
		for _, p := range reference.Pages() {
			fmt.Fprintf(a.stdout, "%-12s  %s\n", p.Name, p.About)
		}
		fmt.Fprintf(a.stdout, "%-12s  the JSON schema of idem.yaml\n", schemaPage)
		fmt.Fprintf(a.stdout, "%-12s  one directive: %s\n", "", strings.Join(directiveNames(), ", "))
		return exitOK
	}
	name := strings.TrimPrefix(opts.topic, "//idem:")
	if p, ok := reference.PageNamed(name); ok {
		_, _ = a.stdout.Write(p.Markdown())
		return exitOK
	}
	if name == schemaPage {
		_, _ = a.stdout.Write(spec.Schema())
		return exitOK
	}
	if text, ok := reference.Directive(name); ok {
		_, _ = a.stdout.Write(text)
		return exitOK
	}
	names := append(directiveNames(), schemaPage)
	for _, p := range reference.Pages() {
		names = append(names, p.Name)
	}
	if meant := diag.Suggest(name, names); meant != "" {
		return a.fail(fmt.Errorf("there is no page %q; did you mean %q?", opts.topic, meant))
	}
	return a.fail(fmt.Errorf("there is no page %q; there are %s", opts.topic, strings.Join(names, ", ")))
}

func directiveNames() []string {
	var names []string
	for _, s := range directive.Specs() {
		names = append(names, s.Name)
	}
	return names
}
