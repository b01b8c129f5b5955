package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

var listCommand = &command{
	name: "list", args: "[packages]", packages: true, run: (*app).list,
	summary: "name everything that is guarded, with places, layers and needed parts",
	about: `List names the operations of the packages (with their layers, outermost first, and
what their constructor needs), the state machines and the versions, and the guards
that are generated for their events and updates. Each stands at the place of its
declaration or directive, in the order of files and lines; operations whose layers
would not fit together are refused as gen refuses them.`,
	examples: `  idemgen list ./...
  idemgen list -format=json ./orders
`,
	formats: []format{formatText, formatJSON},
	flagHelp: `  -format form    text (default), or json: one document with a list for each kind
`,
}

// listing is what list prints: its JSON form.
type listing struct {
	Operations []listedOperation `json:"operations"`
	Machines   []listedMachine   `json:"machines"`
	Versions   []listedVersion   `json:"versions"`
	Guards     []listedGuard     `json:"guards"`
}

// place is where something was written. The file is relative to the working
// directory, with slashes.
type place struct {
	Package string `json:"package"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

func (p place) String() string {
	return fmt.Sprintf("%s:%d:%d", filepath.FromSlash(p.File), p.Line, p.Column)
}

// listedOperation is one guarded method, function or handler.
type listedOperation struct {
	place
	Name      string        `json:"name"`      // Service.Pay
	Operation string        `json:"operation"` // its name in the records
	Mode      string        `json:"mode"`      // transaction, lease, autocommit or http
	Layers    []listedLayer `json:"layers"`
	Needs     []listedPart  `json:"needs"`
}

type listedMachine struct {
	place
	Name    string   `json:"name"`
	Table   string   `json:"table"`
	Key     string   `json:"key"`
	Column  string   `json:"column"`
	States  []string `json:"states"`
	Initial string   `json:"initial"`
	Final   []string `json:"final"`
	Version string   `json:"version,omitempty"`
	Fence   string   `json:"fence,omitempty"`
	History string   `json:"history,omitempty"`
}

type listedVersion struct {
	place
	Name   string   `json:"name"`
	Table  string   `json:"table"`
	Key    []string `json:"key"`
	Column string   `json:"column"`
}

// listedGuard is one generated function that changes a row.
type listedGuard struct {
	place
	Name    string       `json:"name"` // StatusGuard.Pay
	Table   string       `json:"table"`
	Edges   []listedEdge `json:"edges,omitempty"` // of an event
	Once    bool         `json:"once,omitempty"`
	Dynamic bool         `json:"dynamic,omitempty"`
	Where   string       `json:"where,omitempty"`
	Set     []string     `json:"set,omitempty"` // columns
}

type listedEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// list prints what is guarded.
func (a *app) list(ctx context.Context, opts *options) int {
	pkgs, diags := a.models(ctx, opts)
	if ctx.Err() != nil {
		return a.fail(errors.New("interrupted"))
	}
	a.report(formatText, diags) // the other stream than the list
	if diag.HasErrors(diags) {
		return exitCode(diags)
	}
	l := a.listing(opts, pkgs)
	if opts.format == formatJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false) // predicates have < and >
		if err := enc.Encode(l); err != nil {
			return a.fail(err)
		}
	} else {
		l.text(a.stdout)
	}
	return exitCode(diags)
}

// listing collects what packages guard, each list in the order of places. No list
// is nil, so that programs find an array.
func (a *app) listing(opts *options, pkgs []*model.Package) listing {
	l := listing{[]listedOperation{}, []listedMachine{}, []listedVersion{}, []listedGuard{}}
	for _, p := range pkgs {
		at := func(pos model.Pos) place {
			if !filepath.IsAbs(pos.File) {
				pos.File = filepath.Join(opts.dir, pos.File)
			}
			return place{Package: p.Path, File: filepath.ToSlash(a.rel(pos.File)), Line: pos.Line, Column: pos.Col}
		}
		for _, s := range p.Services {
			for _, m := range s.Methods {
				l.Operations = append(l.Operations, operation(at(m.Pos), s.Name+"."+m.Name, m))
			}
		}
		for _, m := range p.Funcs {
			l.Operations = append(l.Operations, operation(at(m.Pos), m.Name, m))
		}
		for _, m := range p.Machines {
			l.Machines = append(l.Machines, listMachine(at(m.Pos), m))
			for _, e := range m.Events {
				l.Guards = append(l.Guards, listEvent(at(e.Pos), m, e))
			}
		}
		for _, v := range p.Versions {
			l.Versions = append(l.Versions, listVersion(at(v.Pos), v))
			for _, u := range v.Updates {
				l.Guards = append(l.Guards, listUpdate(at(u.Pos), v, u))
			}
		}
	}
	slices.SortStableFunc(l.Operations, func(x, y listedOperation) int { return byPlace(x.place, y.place) })
	slices.SortStableFunc(l.Machines, func(x, y listedMachine) int { return byPlace(x.place, y.place) })
	slices.SortStableFunc(l.Versions, func(x, y listedVersion) int { return byPlace(x.place, y.place) })
	slices.SortStableFunc(l.Guards, func(x, y listedGuard) int { return byPlace(x.place, y.place) })
	return l
}

func byPlace(x, y place) int {
	return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
}

// text prints the lists for people: a line that begins with the place, and what
// belongs to it indented.
func (l listing) text(w io.Writer) {
	for _, o := range l.Operations {
		fmt.Fprintf(w, "%s: operation %s, %s\n", o.place, o.Name, o.mode())
		for _, layer := range o.Layers {
			fmt.Fprintf(w, "\t%s\n", layer)
		}
		var needs []string
		for _, n := range o.Needs {
			needs = append(needs, n.String())
		}
		fmt.Fprintf(w, "\tneeds %s\n", strings.Join(needs, ", "))
	}
	for _, m := range l.Machines {
		fmt.Fprintf(w, "%s: machine %s of %s.%s, key %s\n\tstates %s; initial %s\n", m.place, m.Name, m.Table, m.Column, m.Key, strings.Join(m.States, ", "), m.Initial)
		for _, extra := range [][2]string{{"final", strings.Join(m.Final, ", ")}, {"version", m.Version}, {"fence", m.Fence}, {"history", m.History}} {
			if extra[1] != "" {
				fmt.Fprintf(w, "\t%s %s\n", extra[0], extra[1])
			}
		}
	}
	for _, v := range l.Versions {
		fmt.Fprintf(w, "%s: version %s of %s.%s, key %s\n", v.place, v.Name, v.Table, v.Column, strings.Join(v.Key, ", "))
	}
	for _, g := range l.Guards {
		fmt.Fprintf(w, "%s: guard %s\n", g.place, g.Name)
		g.text(w)
	}
}

// mode is the mode in words.
func (o listedOperation) mode() string {
	if o.Mode == modeHTTP {
		return "HTTP handler"
	}
	return o.Mode + " mode"
}

func (g listedGuard) text(w io.Writer) {
	for _, e := range g.Edges {
		fmt.Fprintf(w, "\t%s -> %s\n", e.From, e.To)
	}
	if g.Dynamic {
		fmt.Fprint(w, "\tthe caller names the target\n")
	}
	if g.Once {
		fmt.Fprint(w, "\tonce\n")
	}
	if len(g.Set) > 0 {
		fmt.Fprintf(w, "\tset %s\n", strings.Join(g.Set, ", "))
	}
	if g.Where != "" {
		fmt.Fprintf(w, "\twhere %s\n", g.Where)
	}
}
