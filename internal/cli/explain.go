package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/explain"
	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

var explainCommand = &command{
	name: "explain", args: "NAME [packages]", packages: true, topic: topicNeeded, everything: true, run: (*app).explain,
	summary: "tell what guards a method, or what a diagnostic means",
	about: `Explain says of one guarded method, event or update which layers guard it, what the
first call and a duplicate get, what it costs on which store, and what a crash
between any two steps leaves. NAME is Service.Pay, Pay, StatusGuard.Pay,
AccountGuard.Deduct, or any of them behind an import path or its end; it is looked
for in the packages, by default ./...; a name that fits several is refused with all
of them.

NAME may be the code of a diagnostic, such as IDEM104: what is wrong, why, and an
example of either side.`,
	examples: `  idemgen explain Service.Pay
  idemgen explain orders/service.Service.Pay ./...
  idemgen explain IDEM104
`,
	formats: []format{formatText, formatJSON},
	flagHelp: `  -format form    text (default), or json: one document
`,
}

// explain prints what there is to say of a name or a code.
func (a *app) explain(ctx context.Context, opts *options) int {
	if strings.HasPrefix(strings.ToUpper(opts.topic), "IDEM") && !strings.ContainsAny(opts.topic, "./") {
		return a.explainCode(opts)
	}
	pkg, name := splitTopic(opts.topic)
	if first, _, _ := strings.Cut(pkg, "/"); strings.Contains(first, ".") && opts.implied {
		opts.patterns = []string{pkg} // a whole import path; a part of one is looked for
	}
	pkgs, diags := a.models(ctx, opts)
	if ctx.Err() != nil {
		return a.fail(errors.New("interrupted"))
	}
	a.report(formatText, diags)
	if diag.HasErrors(diags) {
		return exitCode(diags)
	}
	all := explanations(pkgs)
	found := named(all, pkg, name)
	if len(found) == 0 {
		return a.fail(notFound(opts.topic, all))
	}
	if len(found) > 1 {
		var candidates []string
		for _, e := range found {
			candidates = append(candidates, e.Package+"."+e.Name)
		}
		return a.fail(fmt.Errorf("%q is several: %s", opts.topic, strings.Join(candidates, ", ")))
	}
	if opts.format == formatJSON {
		return a.printJSON(found[0], exitCode(diags))
	}
	explainText(a.stdout, found[0])
	return exitCode(diags)
}

// splitTopic parts an import path from the name behind it: example.com/shop.Service.Pay.
func splitTopic(topic string) (pkg, name string) {
	slash := strings.LastIndexByte(topic, '/')
	dot := strings.IndexByte(topic[slash+1:], '.')
	if slash < 0 || dot < 0 {
		return "", topic
	}
	return topic[:slash+1+dot], topic[slash+dot+2:]
}

// named are the explanations that a name fits: the whole of it (with the package's name
// before it, or without), or its last part.
func named(all []explain.Explanation, pkg, name string) []explain.Explanation {
	fits := func(how func(e explain.Explanation) bool) []explain.Explanation {
		return slices.DeleteFunc(slices.Clone(all), func(e explain.Explanation) bool {
			return pkg != "" && e.Package != pkg && !strings.HasSuffix(e.Package, "/"+pkg) || !how(e)
		})
	}
	whole := fits(func(e explain.Explanation) bool { return e.Name == name || path.Base(e.Package)+"."+e.Name == name })
	if len(whole) > 0 {
		return whole
	}
	return fits(func(e explain.Explanation) bool { return strings.HasSuffix(e.Name, "."+name) })
}

func notFound(topic string, all []explain.Explanation) error {
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	_, name := splitTopic(topic)
	if meant := diag.Suggest(name, names); meant != "" {
		return fmt.Errorf("nothing guarded is called %q; did you mean %q?", topic, meant)
	}
	if len(names) == 0 {
		return fmt.Errorf("nothing guarded is called %q: nothing is guarded in these packages", topic)
	}
	return fmt.Errorf("nothing guarded is called %q; there are %s", topic, strings.Join(names, ", "))
}

// explanations are those of everything that packages guard, in the order of list.
func explanations(pkgs []*model.Package) []explain.Explanation {
	var out []explain.Explanation
	for _, p := range pkgs {
		operation := func(name string, m *model.Method) {
			o := operation(place{}, name, m)
			var says []explain.Layer
			for _, l := range o.Layers {
				says = append(says, explain.Layer{Name: l.Layer, Says: l.Says})
			}
			out = append(out, explain.Method(m, name, p.Path, o.Mode, says))
		}
		for _, s := range p.Services {
			for _, m := range s.Methods {
				operation(s.Name+"."+m.Name, m)
			}
		}
		for _, m := range p.Funcs {
			operation(m.Name, m)
		}
		for _, m := range p.Machines {
			for _, e := range m.Events {
				g := listEvent(place{}, m, e)
				out = append(out, explain.Event(m, e, g.Name, p.Path, g.says()))
			}
		}
		for _, v := range p.Versions {
			for _, u := range v.Updates {
				g := listUpdate(place{}, v, u)
				out = append(out, explain.Update(v, u, g.Name, p.Path, g.says()))
			}
		}
	}
	return out
}

// says is a guard in one line.
func (g listedGuard) says() string {
	var parts []string
	for _, e := range g.Edges {
		parts = append(parts, e.From+" -> "+e.To)
	}
	if g.Dynamic {
		parts = append(parts, "the caller names the target")
	}
	if len(g.Set) > 0 {
		parts = append(parts, "set "+strings.Join(g.Set, ", "))
	}
	if g.Where != "" {
		parts = append(parts, "where "+g.Where)
	}
	if g.Once {
		parts = append(parts, "once")
	}
	return "table " + g.Table + ": " + strings.Join(parts, "; ")
}

// explainedCode is the JSON form of a diagnostic's explanation.
type explainedCode struct {
	Code  string `json:"code"`
	Title string `json:"title"`
	What  string `json:"what"`
	Wrong string `json:"wrong"`
	Right string `json:"right"`
}

// explainCode prints a row of the table of diagnostics.
func (a *app) explainCode(opts *options) int {
	code := strings.ToUpper(opts.topic)
	info, ok := diag.Describe(diag.Code(code))
	if !ok {
		var codes []string
		for _, i := range diag.Codes() {
			codes = append(codes, string(i.Code))
		}
		if meant := diag.Suggest(code, codes); meant != "" {
			return a.fail(fmt.Errorf("there is no diagnostic %s; did you mean %s?", code, meant))
		}
		return a.fail(fmt.Errorf("there is no diagnostic %s", code))
	}
	if opts.format == formatJSON {
		return a.printJSON(explainedCode{string(info.Code), info.Title, info.What, info.Wrong, info.Right}, exitOK)
	}
	fmt.Fprintf(a.stdout, "%s: %s\n\n%s\n", info.Code, info.Title, wrap(info.What, textWidth, ""))
	for _, example := range [][2]string{{"Wrong", info.Wrong}, {"Right", info.Right}} {
		if example[1] != "" {
			fmt.Fprintf(a.stdout, "\n%s:\n\n    %s\n", example[0], strings.ReplaceAll(example[1], "\n", "\n    "))
		}
	}
	return exitOK
}

// printJSON prints one document.
func (a *app) printJSON(v any, code int) int {
	enc := json.NewEncoder(a.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false) // predicates have < and >
	if err := enc.Encode(v); err != nil {
		return a.fail(err)
	}
	return code
}
