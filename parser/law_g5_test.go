package parser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/format"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/load"
)

// runGo is the plain way to start the go command.
func runGo(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, []byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	return out, nil, err
}

// shuffled returns a Runner that mixes up packages and files.
func shuffled(rnd *rand.Rand) load.Runner {
	return func(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, []byte, error) {
		out, _, err := runGo(ctx, dir, env, name, args...)
		var pkgs []map[string]any
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var p map[string]any
			if e := dec.Decode(&p); errors.Is(e, io.EOF) {
				break
			} else if e != nil {
				return nil, nil, e
			}
			for _, v := range p {
				if list, ok := v.([]any); ok {
					rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				}
			}
			pkgs = append(pkgs, p)
		}
		rnd.Shuffle(len(pkgs), func(i, j int) { pkgs[i], pkgs[j] = pkgs[j], pkgs[i] })
		var mixed bytes.Buffer
		for _, p := range pkgs {
			if e := json.NewEncoder(&mixed).Encode(p); e != nil {
				return nil, nil, e
			}
		}
		return mixed.Bytes(), nil, err
	}
}

// archive joins the inputs of all goldens with positive cases into one module.
func archive(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n\ngo 1.26\n")})
	for _, name := range []string{"g1", "s6", "s4", "s2", "guards", "g7", "lookup", "tx", "s5", "g4", "names"} {
		ar, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			base := filepath.Base(f.Name)
			if base == "want" || base == "model" {
				continue
			}
			f.Name = name + "/" + f.Name
			f.Data = []byte(strings.ReplaceAll(string(f.Data), `"example.com/m/`, `"example.com/m/`+name+"/"))
			write(t, dir, f)
		}
	}
	return dir
}

// TestLaw_G5_OrderOfFilesDoesNotMatter: the model and the diagnostics are the
// same in whatever order the go command lists packages and files.
func TestLaw_G5_OrderOfFilesDoesNotMatter(t *testing.T) {
	dir := archive(t)
	run := func(r load.Runner) (*Result, []diag.Diagnostic) {
		return Parse(context.Background(), Config{Dir: dir, Patterns: []string{"./..."}, Run: r})
	}
	want, wantDiags := run(nil)
	if len(want.Packages) < 10 || len(wantDiags) < 50 {
		t.Fatalf("only %d packages and %d diagnostics", len(want.Packages), len(wantDiags))
	}
	for seed := range int64(5) {
		got, diags := run(shuffled(rand.New(rand.NewSource(seed))))
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d: the model differs:\n%s", seed, d)
		}
		if d := cmp.Diff(wantDiags, diags); d != "" {
			t.Fatalf("seed %d: the diagnostics differ:\n%s", seed, d)
		}
	}
}

// TestLaw_G8_GofmtDoesNotChangeTheModel.
func TestLaw_G8_GofmtDoesNotChangeTheModel(t *testing.T) {
	dir := archive(t)
	dumps := func() string {
		res, _ := parse(t, dir)
		var all strings.Builder
		for _, p := range res.Packages {
			all.WriteString(dump(p))
		}
		return all.String()
	}
	ugly := dir + "/ugly"
	write(t, ugly, txtar.File{Name: "a.go", Data: []byte(`package   ugly
import ("database/sql";"context")
const   (  A  S="a"
   B  S  =  "b")
//  Doc.
//idem:transition X A -> B
//idem:statemachine table=t key=id column=c initial=A final=B
// More of it.
type   S   string
type T struct{x int;y struct{   }}
  //idem:once key=id
func(t *  T)Do ( ctx context . Context ,tx * sql.Tx,id string,f   func (int ,  ... string )(a  int , b error),m map [string ] [ 0X10 ]   * T,
 s struct { A,B int; C string
 }) ( error ){return nil}
`)})
	before := dumps()
	changed := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out, err := format.Source(src)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if !bytes.Equal(src, out) {
			changed++
		}
		return os.WriteFile(path, out, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	if changed < 5 {
		t.Fatalf("gofmt changed only %d files", changed)
	}
	if d := cmp.Diff(before, dumps()); d != "" {
		t.Errorf("gofmt changes the model:\n%s", d)
	}
	if !strings.Contains(before, "ugly.T.Do") || !strings.Contains(before, "[0x10]*T") {
		t.Errorf("the ugly file is not in the model")
	}
}
