package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// SetNX finds the two holes of hand-written locks on Redis: SETNX and EXPIRE as two
// commands, between which a process may die and leave the lock for ever; and a DEL
// that frees whoever holds the lock by then.
var SetNX = &analysis.Analyzer{
	Name: "setnx",
	Doc:  "report hand-written locks on Redis that outlive a crash or free a stranger\n\nSETNX followed by EXPIRE leaves a lock for ever when the process dies in between; DEL without comparing the owner frees somebody else's lock once one's own has ended. //idem:lock and //idem:once do neither.",
	Run:  runSetNX,
}

// redisCall is a command on a Redis client with a key.
type redisCall struct {
	node    ast.Node
	command string // in upper case
	key     string // the expression's text
	forever bool   // SETNX without an expiry
}

func runSetNX(pass *analysis.Pass) (any, error) {
	r := newReporter(pass)
	for _, f := range ordinary(pass) {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			var calls []redisCall
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if c, ok := command(pass.TypesInfo, call); ok {
						calls = append(calls, c)
					}
				}
				return true
			})
			for _, lock := range calls {
				if lock.command != "SETNX" {
					continue
				}
				for _, c := range calls {
					switch {
					case c.key != lock.key:
					case lock.forever && (c.command == "EXPIRE" || c.command == "PEXPIRE") && c.node.Pos() > lock.node.Pos():
						r.at(lock.node, "SETNX and EXPIRE are two commands: a process that dies between them holds the lock for ever; set the expiry with the value")
					case c.command == "DEL" && c.node.Pos() > lock.node.Pos():
						r.at(c.node, "DEL frees whoever holds %s by now, not only this caller: compare the owner in a script", lock.key)
					}
				}
			}
		}
	}
	return nil, nil
}

// command reads a call of go-redis (client.SetNX(ctx, key, value, 0)) or of redigo
// (conn.Do("SETNX", key, value)).
func command(info *types.Info, call *ast.CallExpr) (redisCall, bool) {
	fn := callee(info, call)
	if fn == nil || fn.Pkg() == nil {
		return redisCall{}, false
	}
	path := fn.Pkg().Path()
	switch {
	case strings.HasPrefix(path, "github.com/redis/go-redis/") || strings.HasPrefix(path, "github.com/go-redis/redis"):
		if fn.Signature().Recv() == nil || len(call.Args) < 2 {
			return redisCall{}, false
		}
		c := redisCall{node: call, command: strings.ToUpper(fn.Name()), key: types.ExprString(call.Args[1])}
		if c.command == "SETNX" && len(call.Args) == 4 {
			tv := info.Types[call.Args[3]]
			c.forever = tv.Value != nil && constant.Sign(constant.ToInt(tv.Value)) == 0
		}
		return c, true
	case strings.HasPrefix(path, "github.com/gomodule/redigo/"):
		if fn.Name() != "Do" && fn.Name() != "Send" || len(call.Args) < 2 {
			return redisCall{}, false
		}
		tv := info.Types[call.Args[0]]
		if tv.Value == nil || tv.Value.Kind() != constant.String {
			return redisCall{}, false
		}
		return redisCall{node: call, command: strings.ToUpper(constant.StringVal(tv.Value)), key: types.ExprString(call.Args[1]), forever: true}, true
	}
	return redisCall{}, false
}
