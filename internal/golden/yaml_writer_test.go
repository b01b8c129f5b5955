package golden

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/parser/directive"
)

// described is a directive of a comment.
type described struct {
	directive.Attached
	text string // behind the name
}

// moveDirectives takes the directives out of the comments below a folder and writes
// them to its idem.yaml; it returns how many they were.
func moveDirectives(t *testing.T, dir string, write func(*yamlWriter, directive.Spec, described)) int {
	t.Helper()
	specs := map[string]directive.Spec{}
	for _, s := range directive.Specs() {
		specs[s.Name] = s
	}
	w := &yamlWriter{}
	w.line(0, "version: 1")
	w.line(0, "packages:")
	moved := 0
	folder := ""
	for _, name := range sortedKeys(readTree(t, dir)) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || IsOutput(name) {
			continue
		}
		full := filepath.Join(dir, filepath.FromSlash(name))
		src := readFile(t, full)
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, name, src, parser.ParseComments)
		found, diags := directive.Scan(fset, file, src)
		if len(found) == 0 {
			continue
		}
		if len(diags) > 0 {
			t.Fatalf("%s: %v", name, diags)
		}
		if at := filepath.ToSlash(filepath.Dir(name)); at != folder {
			folder = at
			w.line(1, "%s:", strconv.Quote("./"+at))
			w.line(2, "declarations:")
		}
		lines := strings.SplitAfter(string(src), "\n")
		last := ""
		for i, a := range found {
			key := keyOf(t, a.Target)
			text := strings.TrimRight(lines[a.Pos.Line-1], "\r\n")[a.NamePos.Col-1+len(a.Name):]
			if key != last {
				w.line(3, "%s:", strconv.Quote(key))
				last = key
			}
			w.first = i == 0 || found[i-1].Name != a.Name || keyOf(t, found[i-1].Target) != key
			write(w, specs[a.Name], described{a, text})
			moved++
		}
		for _, a := range found {
			lines[a.Pos.Line-1] = ""
		}
		if err := os.WriteFile(full, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if moved > 0 {
		if err := os.WriteFile(filepath.Join(dir, "idem.yaml"), w.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return moved
}

// keyOf is a declaration as idem.yaml names it.
func keyOf(t *testing.T, target directive.Target) string {
	t.Helper()
	switch d := target.Decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name
		}
		e := d.Recv.List[0].Type
		for {
			switch x := e.(type) {
			case *ast.StarExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			case *ast.IndexExpr:
				e = x.X
			case *ast.IndexListExpr:
				e = x.X
			default:
				return e.(*ast.Ident).Name + "." + d.Name.Name
			}
		}
	case *ast.GenDecl:
		switch {
		case target.Field != nil:
			return target.Owner.Name.Name + "." + target.Field.Names[0].Name
		case target.Spec != nil:
			return target.Spec.(*ast.TypeSpec).Name.Name
		}
		for _, s := range d.Specs {
			for _, n := range s.(*ast.ValueSpec).Names {
				if n.Name != "_" {
					return n.Name
				}
			}
		}
	}
	t.Fatalf("no name for %v", target)
	return ""
}

// yamlWriter writes an idem.yaml.
type yamlWriter struct {
	bytes.Buffer
	first bool // of the directives of one name on a declaration
}

func (w *yamlWriter) line(depth int, format string, args ...any) {
	fmt.Fprintf(w, strings.Repeat("  ", depth)+format+"\n", args...)
}

// words writes the text form, in turn of every scalar style.
func (w *yamlWriter) words(s directive.Spec, d described) {
	text := strings.TrimSpace(d.text)
	if s.Repeatable {
		if w.first {
			w.line(4, "%s:", d.Name)
		}
		w.line(5, "- %s", single(text))
		return
	}
	if w.Len()%2 == 0 || strings.HasSuffix(text, " ") {
		w.line(4, "%s: %s", d.Name, single(text))
		return
	}
	w.line(4, "%s: |-", d.Name)
	w.line(6, "%s", text)
}

// single is a text in single quotes.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// arguments writes every argument as one text.
func (w *yamlWriter) arguments(s directive.Spec, d described) {
	w.named(s, d, func(_ *directive.ArgSpec, v string) string { return strconv.Quote(v) })
}

// structure writes lists as lists and pairs as mappings.
func (w *yamlWriter) structure(s directive.Spec, d described) {
	w.named(s, d, func(arg *directive.ArgSpec, v string) string {
		parts := strings.Split(v, ",")
		if arg == nil || !arg.List || arg.Pair == "=" || directive.NewText(v, d.Pos).Elements() != len(parts) || v == "none" {
			return single(v)
		}
		seen := map[string]bool{}
		var list, pairs []string
		for _, p := range parts {
			p = strings.TrimSpace(p)
			list = append(list, single(p))
			if k, v, ok := strings.Cut(p, arg.Pair); ok && arg.Pair != "" && !seen[k] && !strings.ContainsAny(v, "'\"`") {
				seen[k] = true
				if !arg.SQLText || strings.Trim(v, "-0123456789") != "" && v != "true" && v != "false" {
					v = single(v)
				}
				pairs = append(pairs, single(k)+": "+v)
			}
		}
		if len(pairs) == len(parts) {
			return "{" + strings.Join(pairs, ", ") + "}"
		}
		return "[" + strings.Join(list, ", ") + "]"
	})
}

// named writes the form with names.
func (w *yamlWriter) named(s directive.Spec, d described, value func(*directive.ArgSpec, string) string) {
	args, diags := directive.Words(d.Name, directive.NewText(d.text, d.Pos))
	if len(diags) > 0 {
		panic(diags)
	}
	depth := 5
	if w.first || !s.Repeatable {
		w.line(4, "%s:", d.Name)
	}
	prefix := ""
	if s.Repeatable {
		prefix = "- "
	}
	head := false
	for _, a := range args {
		switch spec := s.Arg(a.Value.S); {
		case a.Key != "":
			w.line(depth, "%s%s: %s", prefix, a.Key, value(s.Arg(a.Key), a.Value.S))
		case s.Positional != "" && !head:
			head = true
			rest := a.Value.S
			for i, part := range s.Head {
				text := rest
				if i < len(s.Head)-1 {
					text, rest, _ = strings.Cut(rest, " ")
				}
				w.line(depth, "%s%s: %s", prefix, part, single(text))
				if prefix == "- " {
					prefix = "  "
				}
			}
		case spec != nil && spec.Flag:
			w.line(depth, "%s%s: true", prefix, a.Value.S)
		}
		if prefix == "- " {
			prefix = "  "
		}
	}
	if len(args) == 0 {
		w.line(depth, "{}")
	}
}

// movable tells whether all directives of a tree can be moved.
func movable(tree Tree) bool {
	any := false
	for _, name := range sortedKeys(tree) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, tree[name].Data, parser.ParseComments)
		if err != nil {
			return false
		}
		found, diags := directive.Scan(fset, file, tree[name].Data)
		if len(diags) > 0 || strings.HasSuffix(name, "_test.go") && len(found) > 0 {
			return false
		}
		any = any || len(found) > 0
	}
	return any
}
