package parser

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/parser/load"
)

// listOne returns a Runner that knows one package without dependencies, so that
// no process is started.
func listOne(dir string) load.Runner {
	return func(context.Context, string, []string, string, ...string) ([]byte, []byte, error) {
		out, err := json.Marshal(map[string]any{"Dir": dir, "ImportPath": "example.com/m", "Name": "a", "GoFiles": []string{"a.go"}})
		return out, nil, err
	}
}

// FuzzParse: any file gives a model or diagnostics, never a panic, and what is
// wrong has a place.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range ar.Files {
			if strings.HasSuffix(x.Name, "a.go") {
				f.Add(x.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		dir := t.TempDir()
		write(t, dir, txtar.File{Name: "a.go", Data: src}, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n")})
		res, diags := Parse(context.Background(), Config{Dir: dir, Run: listOne(dir)})
		sane(t, res, diags)
	})
}

func sane(t *testing.T, res *Result, diags []diag.Diagnostic) {
	t.Helper()
	for _, d := range diags {
		if d.Code == diag.CodeInternal {
			t.Errorf("fault of the generator: %v", d)
		}
		if d.Message == "" || d.Pos.File == "" && d.Code != diag.CodeLoad {
			t.Errorf("diagnostic without message or place: %+v", d)
		}
	}
	for _, p := range res.Packages {
		_ = dump(p)
	}
}

// FuzzDirectives: any text in a directive on declarations that are well.
func FuzzDirectives(f *testing.F) {
	f.Add("key=req.ID,req.Order.No orphan=hold scope=s.cfg.Tenant ctx=s.ctx", "table=t key=id column=c initial=A final=B keytype=int64", "Pay A -> B", "Status.Pay key=req.ID")
	f.Add("key=req.ID", "table=t key=id column=c initial=A final=B where=\"tenant = :t AND k = :C\" set=\"u = :now, v = u\" create=\"x = :C\" version=v fence=f history=h params=t:*int64,now:Req tests=true",
		"Pay A -> B once ttl=1h set=\"at = :at, at = 1\" where=\"x < :y\" params=at:[]byte", "Status.Pay key=req.ID args=t:req.Order.No,now:nil,at:1<<70,y:req.X(),version:any,fence:req.Map[req.ID]")
	f.Add("key=req.ID", "table=t key=id column=c initial=A values=A:1,B:'2',C:x deadend=B,C unreachable=C,A history=t",
		"Go * - B -> :to set=\"z = :to\"", "Status.Go key=req.ID args=to:A,z:Status.Pay,a:len(req.List)")
	f.Add("key=len(req.List),(*req.P).X(),req.Map[req.ID] lookup=Find tx=ctx", "name=X table=a.b key=id column=c initial=pb.A", "Go * - B,C -> A", "other.Status.Go key=req lookup=Find")
	f.Add("key=[]T{1}[0],func(){}(),req.(int),<-c,G[int](1),x.y[:] match=none errors=store:Err,unknown:context.Canceled codec=codec", "table=t key=id column=c initial=C", "a A,A -> A", "Status.a key=&req")
	f.Fuzz(func(t *testing.T, once, machine, transition, fire string) {
		for _, s := range []string{once, machine, transition, fire} {
			if strings.ContainsAny(s, "\r\n") {
				t.Skip()
			}
		}
		dir := t.TempDir()
		write(t, dir, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n")}, txtar.File{Name: "a.go", Data: []byte(`package a

import "context"

//idem:statemachine ` + machine + `
//idem:transition ` + transition + `
type Status string

const (
	A Status = "a"
	B Status = "b"
	C        = "c"
)

type Order struct{ No string }

type Req struct {
	ID    string
	Order *Order
	List  []string
	Map   map[string]int
	P     *Req
}

func (r *Req) X() string { return "" }

func G[T any](t T) T { return t }

type error2 struct{}

func (error2) Error() string { return "" }

var Err error2

type S struct {
	ctx context.Context
	cfg *struct{ Tenant string }
}

func (s *S) Find(ctx context.Context, id string) (*Order, error) { return nil, nil }

//idem:once ` + once + `
//idem:fire ` + fire + `
func (s *S) Do(ctx context.Context, req *Req, ids ...string) (*Order, error) { return nil, nil }
`)})
		res, diags := Parse(context.Background(), Config{Dir: dir, Run: listOne(dir)})
		sane(t, res, diags)
	})
}
