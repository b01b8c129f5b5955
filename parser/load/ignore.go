package load

import (
	"os"
	"path/filepath"
	"strings"
)

// ignoreRules reads the ignore lines of the go.mod that governs dir and returns
// a predicate over absolute folders. Without a go.mod nothing is ignored.
func ignoreRules(dir string) func(string) bool {
	root, src := goMod(dir)
	paths := ignoreLines(string(src))
	if len(paths) == 0 {
		return func(string) bool { return false }
	}
	return func(p string) bool {
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return false
		}
		rel = "/" + filepath.ToSlash(rel) + "/"
		for _, ign := range paths {
			if fixed, ok := strings.CutPrefix(ign, "./"); ok {
				if strings.HasPrefix(rel, "/"+strings.Trim(fixed, "/")+"/") {
					return true
				}
			} else if strings.Contains(rel, "/"+strings.Trim(ign, "/")+"/") {
				return true
			}
		}
		return false
	}
}

// goMod finds the nearest go.mod at or above dir: its folder and content.
func goMod(dir string) (root string, src []byte) {
	for {
		if src, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, src
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// ignoreLines takes the arguments of ignore lines and blocks out of a go.mod.
func ignoreLines(src string) []string {
	if !strings.Contains(src, "ignore") {
		return nil
	}
	var paths []string
	block := false
	for line := range strings.Lines(src) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case block && words[0] == ")":
			block = false
		case block:
			paths = append(paths, strings.Trim(words[0], "\"`"))
		case words[0] == "ignore" && len(words) == 2 && words[1] == "(", words[0] == "ignore(":
			block = true
		case words[0] == "ignore" && len(words) == 2:
			paths = append(paths, strings.Trim(words[1], "\"`"))
		}
	}
	return paths
}
