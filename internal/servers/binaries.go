package servers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// systemFolders are where servers lie that PATH doesn't lead to.
var systemFolders = [...]string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/usr/sbin",
	"/usr/local/sbin",
}

// missingError says which program of a server isn't there.
type missingError struct {
	program string
	pack    string // the Debian package that has it
}

func (e *missingError) Error() string {
	return fmt.Sprintf("there is no %s here (Debian package %s)", e.program, e.pack)
}

// find looks for one of the programs, in the system's folders first: what PATH has
// may be a wrapper. Of several versions it takes the last by name.
func find(pack string, names ...string) (string, error) {
	for _, name := range names {
		for _, pattern := range systemFolders {
			found, _ := filepath.Glob(filepath.Join(pattern, name))
			slices.Sort(found)
			for _, path := range slices.Backward(found) {
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
					return path, nil
				}
			}
		}
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", &missingError{names[0], pack}
}
