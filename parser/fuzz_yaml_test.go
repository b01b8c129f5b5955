package parser

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzDescriptions: any idem.yaml beside declarations that are well gives a model or
// diagnostics with places, never a panic.
func FuzzDescriptions(f *testing.F) {
	files, err := filepath.Glob("../testdata/golden/*yaml_*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range ar.Files {
			if filepath.Base(x.Name) == "idem.yaml" {
				f.Add(x.Data)
			}
		}
	}
	const head = "version: 1\npackages:\n  .:\n    imports: {context: context, sql: database/sql}\n    declarations:\n"
	f.Add([]byte(head + `
      Service.Pay:
        once: {key: [id, s.x.No], orphan: hold, ctx: s.ctx, errors: {store: Err, unknown: [context.Canceled]}}
        fire: Status.Pay key=id
        lock: {key: "id", check: Find, alone: true}
      Status:
        statemachine: {table: t, key: id, column: c, initial: A, final: B, values: {A: 1, B: "2"}, where: "x = :x"}
        transition: {Pay: [A -> B, B -> A], Go: {edge: "* - B -> :to", set: {z: ":to"}}}
      Literal:
        type: int8
        states: {L1: 1, L2: 2}
        statemachine: {table: l, key: id, column: c, initial: L1, final: L2}
        transition: {Go: L1 -> L2}
      Wait: {type: context.Context}
      Wait.Err: {once: {key: "1"}}
      Row:
        version: table=rows key=id column=version
        update: {Set: {set: [note]}}
      A: {}
`))
	f.Fuzz(func(t *testing.T, src []byte) {
		dir := t.TempDir()
		write(t, dir, txtar.File{Name: "idem.yaml", Data: src}, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n")}, txtar.File{Name: "a.go", Data: []byte(`package a

import "context"

type Status string

const (
	A Status = "a"
	B Status = "b"
)

var Err error

type Row struct {
	ID      string ` + "`db:\"id\"`" + `
	Note    string ` + "`db:\"note\"`" + `
	Version int64  ` + "`db:\"version\"`" + `
}

type Service struct {
	ctx context.Context
	x   *struct{ No string }
}

func (s *Service) Find(ctx context.Context, id string) error { return nil }

func (s *Service) Pay(ctx context.Context, id string) error { return nil }

type API interface {
	Wait
	Ship(ctx context.Context, id string) error
}

type Wait2 = API
`)})
		res, diags := Parse(context.Background(), Config{Dir: dir, Run: listOne(dir)})
		sane(t, res, diags)
	})
}
