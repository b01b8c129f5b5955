package spec

import (
	"go/token"
	"path"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/directive"
)

// version is the form of the file that this package reads.
const version = "1"

// The keys of a file, apart from those of directives.
var (
	fileKeys    = []string{"version", "packages"}
	packageKeys = []string{"imports", "declarations"}
)

const (
	typeKey   = "type"
	statesKey = "states"
)

// Parse reads one idem.yaml; path is what positions call it, and its bytes get a
// file in fset, so that expressions have positions of their own. What is wrong with
// it is in the diagnostics, each at its line and column, and left out of the file,
// which is nil when nothing of it can be read. Parse never panics and is safe for
// concurrent use.
func Parse(fset *token.FileSet, path string, src []byte) (*File, []diag.Diagnostic) {
	r := &reader{text: newText(fset, path, src)}
	if bad := r.readable(); bad != nil {
		return nil, bad
	}
	root, bad := r.document()
	if bad != nil {
		return nil, bad
	}
	if root == nil {
		return nil, []diag.Diagnostic{diag.New(diag.CodeYAMLVersion, r.pos(r.bom), "the file is empty").WithHint("it begins with version: %s", version)}
	}
	if !r.plain(root, 0) {
		return nil, r.diags
	}
	f := &File{Path: path}
	r.file(f, root)
	return f, r.diags
}

func (r *reader) file(f *File, root *yaml.Node) {
	entries, ok := r.entries(root, "a mapping with version: and packages:")
	if !ok {
		return
	}
	var versionOf, packages *yaml.Node
	misspelt := false // what is missing may be that
	for _, e := range entries {
		switch e.key.Value {
		case "version":
			versionOf = e.value
		case "packages":
			packages = e.value
		default:
			r.unknown(e.key, fileKeys)
			misspelt = true
		}
	}
	switch {
	case versionOf == nil && misspelt:
	case versionOf == nil:
		r.fail(diag.CodeYAMLVersion, root, "version: is missing").Hint = "begin with version: " + version
	case versionOf.Kind != yaml.ScalarNode || versionOf.Value != version:
		r.fail(diag.CodeYAMLVersion, versionOf, "version %q is not known", versionOf.Value).Hint = "this idemgen knows version: " + version
		return
	}
	if packages == nil && misspelt {
		return
	}
	if packages == nil {
		r.fail(diag.CodeYAMLShape, root, "packages: is missing").Hint = "name the packages below packages:"
		return
	}
	list, _ := r.entries(packages, "a mapping of packages")
	for _, e := range list {
		if p := r.pkg(e); p != nil {
			f.Packages = append(f.Packages, p)
		}
	}
}

func (r *reader) pkg(e entry) *Package {
	p := &Package{Key: r.name(e.key)}
	parts, ok := r.entries(e.value, "a mapping with declarations:")
	if !ok {
		return nil
	}
	found := false
	for _, part := range parts {
		switch part.key.Value {
		case "imports":
			p.Imports = r.imports(part.value)
		case "declarations":
			found = true
			list, _ := r.entries(part.value, "a mapping of declarations")
			for _, d := range list {
				if d := r.declaration(d); d != nil {
					p.Declarations = append(p.Declarations, d)
				}
			}
		default:
			r.unknown(part.key, packageKeys)
		}
	}
	if !found {
		r.fail(diag.CodeYAMLShape, e.key, "declarations: of package %s is missing", p.Key.Text)
	}
	return p
}

func (r *reader) imports(n *yaml.Node) []Import {
	list, _ := r.entries(n, "a mapping of names to import paths")
	var out []Import
	for _, e := range list {
		imp := Import{Name: r.name(e.key), Path: Name{}}
		switch {
		case !token.IsIdentifier(imp.Name.Text) || imp.Name.Text == "_":
			r.fail(diag.CodeYAMLImport, e.key, "%q is not the name of an import", e.key.Value).Hint = "write name: path, such as pb: example.com/shop/pb"
			continue
		case e.value.Kind != yaml.ScalarNode || !isImportPath(e.value.Value):
			r.fail(diag.CodeYAMLImport, e.value, "%s is no import path", quoted(e.value)).Hint = "write name: path, such as pb: example.com/shop/pb"
			continue
		}
		imp.Path = r.name(e.value)
		out = append(out, imp)
	}
	return out
}

func quoted(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		return `"` + n.Value + `"`
	}
	return kindOf(n)
}

func isImportPath(s string) bool {
	return s != "" && s == path.Clean(s) && s[0] != '/' && s[0] != '.' && s[0] != '-' &&
		!strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || strings.ContainsRune("\\\"'`:*?<>|@!#$%^&()[]{};,", c) })
}

// names are the directives that the registry has.
func names() []string {
	var out []string
	for _, s := range directive.Specs() {
		out = append(out, s.Name)
	}
	return out
}
