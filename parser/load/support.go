package load

import (
	"strings"

	"github.com/idemgen/idemgen/parser/directive"
)

// openSupport opens the packages outside of this run whose state machines are
// fired by packages of the run: their directives are read, too, as far as they
// describe machines.
func (l *loader) openSupport() {
	for _, n := range append([]*node(nil), l.targets...) {
		for _, f := range n.target.Files {
			for _, d := range f.Directives {
				if d.Name != "fire" {
					continue
				}
				fire := d.Args().(*directive.Fire)
				if pkg, _, dotted := strings.Cut(fire.Machine.Text, "."); dotted {
					l.openMachines(n, f, pkg)
				}
			}
		}
	}
}

func (l *loader) openMachines(n *node, f *File, name string) {
	imp, ok := n.target.Import(f, name)
	if !ok {
		return
	}
	p := l.listed[n.importPath(imp.Path)]
	if p == nil || p.Standard || p.Dir == "" || l.isTarget(p.ImportPath) {
		return
	}
	scan := l.byDir[p.Dir]
	if scan == nil {
		if scan = l.scanDir(p.Dir); scan == nil {
			return
		}
		l.byDir[p.Dir] = scan
	}
	if !scan.mentions() {
		return
	}
	mark := len(l.diags)
	names := fileNames(scan, p.GoFiles, p.CgoFiles)
	if opened := l.openTarget(p, scan, Plain, names, names); opened != nil {
		opened.target.Support = true
	}
	l.diags = l.diags[:mark]
}

func (l *loader) isTarget(path string) bool {
	n := l.nodes[path]
	return n != nil && n.target != nil
}
