package load

import (
	"errors"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Resolve checks the types of the package, as far as its annotations lead, and of the
// packages that it imports; once, then it does nothing. Types, Info and Errors are set
// by it, and each file's AST and Scope. It returns faults of the checker itself.
func (p *Package) Resolve() []diag.Diagnostic {
	mark := len(p.load.diags)
	p.load.checkNode(p.node)
	return p.load.diags[mark:]
}

// checkNode type-checks the wanted part of one package. Errors are tolerated:
// much of what is left out is what they are about.
func (l *loader) checkNode(n *node) *types.Package {
	if n.started {
		return n.types
	}
	n.started = true
	wanted := map[ast.Node]bool{}
	for _, u := range n.decls {
		if u.wanted {
			wanted[u.node()] = true
		}
	}
	for _, list := range n.methods {
		for _, u := range list {
			if u.wanted {
				wanted[u.node()] = true
			}
		}
	}
	var files []*ast.File
	for _, s := range n.sources {
		file := n.sliced(s, wanted)
		if file == nil {
			continue
		}
		files = append(files, file)
		if n.target != nil {
			if f := n.target.fileOf(s); f != nil {
				f.AST = file
			}
		}
	}
	conf := types.Config{
		IgnoreFuncBodies:         true,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
		Importer:                 importer{l, n},
		Sizes:                    l.sizes(),
		Error:                    func(err error) { n.failed(err) },
	}
	var info *types.Info
	if n.target != nil {
		info = newInfo()
	}
	n.types = typeCheck(&conf, n, l, files, info)
	n.types.MarkComplete()
	if n.target == nil {
		n.release()
	}
	if p := n.target; p != nil {
		p.Types, p.Info = n.types, info
		for _, f := range p.Files {
			f.scope = info.Scopes[f.AST]
		}
	}
	return n.types
}

// typeCheck runs the checker. Code that makes the checker itself panic must not
// end the run: the package is then empty.
func typeCheck(conf *types.Config, n *node, l *loader, files []*ast.File, info *types.Info) (pkg *types.Package) {
	defer func() {
		if r := recover(); r != nil {
			pkg = types.NewPackage(n.path, n.name)
			l.report(diag.New(diag.CodeInternal, model.Pos{File: l.display(n.pkg.Dir)}, "can't type-check the package: %v", r))
		}
	}()
	if len(files) == 0 { // nothing of it is wanted: a name that it lacks was asked for
		return types.NewPackage(n.path, n.name)
	}
	pkg, _ = conf.Check(n.path, l.res.Fset, files, info)
	if pkg == nil {
		pkg = types.NewPackage(n.path, n.name)
	}
	return pkg
}

func newInfo() *types.Info {
	return &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes:     map[ast.Node]*types.Scope{},
		Instances:  map[*ast.Ident]types.Instance{},
	}
}

// failed keeps the errors of targets.
func (n *node) failed(err error) {
	var te types.Error
	if n.target != nil && errors.As(err, &te) {
		n.target.Errors = append(n.target.Errors, te)
	}
}

func (p *Package) fileOf(s *source) *File {
	for _, f := range p.Files {
		if f.source == s {
			return f
		}
	}
	return nil
}

// sizes are the sizes of the platform that is built for.
func (l *loader) sizes() types.Sizes {
	arch := runtime.GOARCH
	for _, kv := range l.cfg.Env {
		if v, ok := strings.CutPrefix(kv, "GOARCH="); ok && v != "" {
			arch = v
		}
	}
	if s := types.SizesFor("gc", arch); s != nil {
		return s
	}
	return types.SizesFor("gc", "amd64")
}

// importer gives the checker of one node the packages that it imports.
type importer struct {
	load *loader
	node *node
}

var errUnknownPackage = errors.New("package is not known to the go command")
var errImportCycle = errors.New("import cycle")

// Import makes importer a types.Importer.
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	dep := i.load.imported(i.node, path)
	if dep == nil {
		return nil, i.load.whyUnknown(i.node.importPath(path))
	}
	if dep.started && dep.types == nil {
		return nil, errImportCycle
	}
	return i.load.checkNode(dep), nil
}

// whyUnknown is what the go command says about a package that it can't load.
func (l *loader) whyUnknown(path string) error {
	if p := l.listed[path]; p != nil && p.Error != nil {
		return errors.New(firstLine(p.Error.Err))
	}
	return errUnknownPackage
}

// outputs are the absolute paths of the files that packages of the run write.
func (l *loader) outputs() map[string]bool {
	out := map[string]bool{}
	for _, n := range l.targets {
		if p := n.target; !p.Support {
			out[filepath.Join(p.Dir, p.Output)] = true
		}
	}
	return out
}

// orphans are our files that nothing leads to any more. A file that this build
// leaves out may be what an output comes from: then it is no orphan (G7). The
// tests of machines are listed wherever they could be an orphan: only the model
// tells whether a machine asks for them.
func orphans(scans []*dirScan, outputs map[string]bool) []string {
	var out []string
	for _, s := range scans {
		for _, f := range s.files {
			path := filepath.Join(s.dir, f.name)
			if !f.ours || outputs[path] {
				continue
			}
			if from := comesFrom(f.name); from != "" && outputs != nil && !outputs[filepath.Join(s.dir, from)] && s.mentionsFor(from) {
				continue
			}
			if _, err := os.Lstat(path); err == nil {
				out = append(out, path)
			}
		}
	}
	return out
}

// comesFrom is the output whose annotations a file that we wrote comes from; ""
// for a name that we don't give any more.
func comesFrom(name string) string {
	switch {
	case name == model.OutputMachineTest:
		return model.OutputFile
	case model.IsOutput(name):
		return name
	}
	return ""
}
