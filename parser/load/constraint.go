package load

import (
	"go/ast"
	"go/build/constraint"
	"strings"
)

// constraintOf is the build constraint of a file: its //go:build line, what its
// name says (_linux, _arm64) and whether it needs cgo, as one expression in
// canonical form; "" for none.
func constraintOf(name string, file *ast.File) string {
	var parts []constraint.Expr
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				if e, err := constraint.Parse(c.Text); err == nil {
					parts = append(parts, e)
				}
			}
		}
	}
	for _, tag := range nameTags(name) {
		parts = append(parts, &constraint.TagExpr{Tag: tag})
	}
	for _, imp := range file.Imports {
		if imp.Path != nil && imp.Path.Value == `"C"` {
			parts = append(parts, &constraint.TagExpr{Tag: "cgo"})
			break
		}
	}
	if len(parts) == 0 {
		return ""
	}
	e := parts[0]
	for _, p := range parts[1:] {
		e = &constraint.AndExpr{X: e, Y: p}
	}
	return e.String()
}

// nameTags are the tags that the name of a file stands for.
func nameTags(name string) []string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test")
	_, name, ok := strings.Cut(name, "_") // the first part never counts
	if !ok {
		return nil
	}
	words := strings.Split(name, "_")
	n := len(words)
	switch {
	case n >= 2 && systems[words[n-2]] && architectures[words[n-1]]:
		return words[n-2:]
	case systems[words[n-1]] || architectures[words[n-1]]:
		return words[n-1:]
	}
	return nil
}

var systems = set("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos")

var architectures = set("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le " +
	"ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
