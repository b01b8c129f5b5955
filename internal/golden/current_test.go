package golden

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/internal/cli"
)

// What the tests of other modules run is what the generator writes today.
func TestGeneratedFilesOfOtherModulesAreCurrent(t *testing.T) {
	for _, dir := range []string{"runtime/sqlstore/sqlstoretest/machines", "runtime/sqlstore/sqlstoretest/layers"} {
		var out, errs bytes.Buffer
		env := cli.Env{Dir: filepath.Join("..", "..", filepath.FromSlash(dir)), Stdout: &out, Stderr: &errs}
		if code := cli.Run(context.Background(), env, []string{"check", "./..."}); code != 0 {
			t.Errorf("check of %s exited %d\n%s%s", dir, code, &out, &errs)
		}
	}
}
