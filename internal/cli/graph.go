package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/templates/graph"
)

var graphCommand = &command{
	name: "graph", args: "[packages]", packages: true, run: (*app).graph,
	summary: "draw the state machines",
	about: `Graph draws the state machines of the packages: states with the initial and the
final ones marked, and an arrow per event with what must hold besides. An event
that leads out of many states by a wildcard is drawn once.

GitHub and GitLab show Mermaid in Markdown. SVG has colours for light and dark; it
is laid out by Graphviz inside idemgen-graph, a command of a module of its own, so
that your go.mod does not get what it needs. A released idemgen runs it with go run
at its own version; one on the PATH, or that of -renderer, goes first.`,
	examples: `  idemgen graph -machine=Status ./orders
  idemgen graph -format=svg -o=docs/ ./...
`,
	flags:   []string{"machine", "o", "renderer"},
	formats: []format{"mermaid", "dot", "plantuml", "svg"},
	flagHelp: `  -format form    mermaid (default), dot, plantuml or svg
  -machine name   draw this one alone: Status, or order.Status, or orders/order.Status
  -o path         write to this file; into this folder, a file for each machine, when
                  it exists or the path ends in a slash. Files of others are left alone
  -renderer cmd   what makes SVG of DOT, from standard input to standard output:
                  -renderer="dot -Tsvg"
`,
}

// language is one row of the languages that graph writes.
type language struct {
	ext, mark string
	// several tells that one file holds any number of diagrams.
	several bool
	draw    func(graph.Diagram) string // nil for SVG, which is made of DOT
}

// languages are those of -format.
func languages() map[format]language {
	return map[format]language{
		"mermaid":  {ext: ".mmd", mark: graph.MermaidMark, draw: graph.Mermaid},
		"dot":      {ext: ".dot", mark: graph.DOTMark, several: true, draw: graph.DOT},
		"plantuml": {ext: ".puml", mark: graph.PlantUMLMark, several: true, draw: graph.PlantUML},
		"svg":      {ext: ".svg", mark: graph.SVGMark},
	}
}

// drawn is a machine and its diagram.
type drawn struct {
	pkg     *model.Package
	machine *model.Machine
	text    string
}

// name tells machines of one module apart: orders/order.Status.
func (d *drawn) name() string {
	if below, ok := strings.CutPrefix(d.pkg.Path, d.pkg.Module+"/"); ok && d.pkg.Module != "" {
		return below + "." + d.machine.Name
	}
	return d.pkg.Name + "." + d.machine.Name
}

// answers tells whether -machine means this one: by its name alone, or behind the
// package's name or the end of its path.
func (d *drawn) answers(given string) bool {
	return given == d.machine.Name || given == d.pkg.Name+"."+d.machine.Name ||
		strings.HasSuffix("/"+d.pkg.Path+"."+d.machine.Name, "/"+given)
}

// graph draws the machines of the packages.
func (a *app) graph(ctx context.Context, opts *options) int {
	pkgs, diags := a.models(ctx, opts)
	if ctx.Err() != nil {
		return a.fail(errors.New("interrupted; nothing was written"))
	}
	if diag.HasErrors(diags) {
		a.report(formatText, diags)
		return exitCode(diags)
	}
	list, err := chosen(pkgs, opts)
	if err != nil {
		return a.fail(err)
	}
	lang := languages()[opts.format]
	folder := opts.output != "" && a.isFolder(opts)
	if len(list) > 1 && !folder && !lang.several {
		return a.fail(fmt.Errorf("%s has one state machine per file, and these are %d: %s\n\tchoose one with -machine, or write a file for each with -o FOLDER/",
			opts.format, len(list), names(list)))
	}
	if err := a.drawAll(ctx, opts, lang, list); err != nil {
		return a.fail(err)
	}
	var texts []string
	for _, d := range list {
		texts = append(texts, d.text)
	}
	switch {
	case opts.output == "":
		io.WriteString(a.stdout, strings.Join(texts, "\n"))
	case !folder:
		diags = append(diags, a.put(opts, []placed{{path: a.outputPath(opts), content: strings.Join(texts, "\n"), mark: lang.mark}})...)
	default:
		more, err := a.putAll(opts, lang, list)
		if err != nil {
			return a.fail(err)
		}
		diags = append(diags, more...)
	}
	a.report(formatText, diags)
	return exitCode(diags)
}

// chosen are the machines that -machine names, or all; there is at least one.
func chosen(pkgs []*model.Package, opts *options) ([]*drawn, error) {
	var all, list []*drawn
	for _, p := range pkgs {
		for _, m := range p.Machines {
			d := &drawn{pkg: p, machine: m}
			all = append(all, d)
			if opts.machine == "" || d.answers(opts.machine) {
				list = append(list, d)
			}
		}
	}
	where := strings.Join(opts.patterns, " ")
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("there is no state machine in %s", where)
	case len(list) == 0:
		return nil, fmt.Errorf("there is no state machine %q in %s; these are: %s", opts.machine, where, names(all))
	}
	return list, nil
}

func names(list []*drawn) string {
	var out []string
	for _, d := range list {
		out = append(out, d.name())
	}
	return strings.Join(out, ", ")
}

// isFolder tells whether -o names a folder, which need not exist when the path
// ends in a slash.
func (a *app) isFolder(opts *options) bool {
	if os.IsPathSeparator(opts.output[len(opts.output)-1]) || strings.HasSuffix(opts.output, "/") {
		return true
	}
	info, err := os.Stat(a.outputPath(opts))
	return err == nil && info.IsDir()
}

func (a *app) drawAll(ctx context.Context, opts *options, lang language, list []*drawn) error {
	var svg renderer
	if lang.draw == nil {
		var err error
		if svg, err = findRenderer(opts.render); err != nil {
			return err
		}
	}
	for _, d := range list {
		diagram := graph.Of(d.machine)
		if lang.draw != nil {
			d.text = lang.draw(diagram)
			continue
		}
		raw, err := svg.run(ctx, graph.DOT(diagram))
		if err != nil {
			return err
		}
		styled, err := graph.Style(diagram, raw)
		if err != nil {
			return fmt.Errorf("%s: %w", svg, err)
		}
		d.text = string(styled)
	}
	return nil
}

// putAll writes a file for each machine into the folder of -o.
func (a *app) putAll(opts *options, lang language, list []*drawn) ([]diag.Diagnostic, error) {
	dir := a.outputPath(opts)
	var files []placed
	seen := map[string]*drawn{}
	for _, d := range list {
		name := strings.ReplaceAll(d.name(), "/", "_") + lang.ext
		if other := seen[strings.ToLower(name)]; other != nil {
			return nil, fmt.Errorf("%s of %s and of %s would be one file, %s: run idemgen graph once for each package", d.machine.Name, other.pkg.Path, d.pkg.Path, name)
		}
		seen[strings.ToLower(name)] = d
		files = append(files, placed{path: filepath.Join(dir, name), content: d.text, mark: lang.mark})
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return []diag.Diagnostic{diag.New(diag.CodeWrite, model.Pos{File: dir}, "the folder can't be made: %v", err)}, nil
	}
	return a.put(opts, files), nil
}
