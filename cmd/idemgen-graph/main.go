// Command idemgen-graph reads a graph in DOT and writes it as SVG: it lays out what
// idemgen graph -format=svg draws.
//
// It is a module of its own, without a replace line, for two reasons: it carries
// the whole of Graphviz (compiled to WebAssembly, run by a Go runtime), which no
// user of idemgen should find in their go.mod; and idemgen starts it with go run at
// a version, which Go refuses for modules with replace lines. It knows DOT alone
// and nothing of idemgen, so that both can be told apart when a picture is wrong.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/goccy/go-graphviz"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main in an environment of the caller's; it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "Usage: idemgen-graph < graph.dot > graph.svg")
		return 2
	}
	dot, err := io.ReadAll(stdin)
	if err == nil {
		var svg []byte
		if svg, err = render(ctx, dot); err == nil {
			_, err = stdout.Write(svg)
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "idemgen-graph: %v\n", err)
		return 1
	}
	return 0
}

// render lays out one graph. The same bytes always give the same bytes.
func render(ctx context.Context, dot []byte) ([]byte, error) {
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	graph, err := graphviz.ParseBytes(dot)
	if err != nil {
		return nil, fmt.Errorf("this is no DOT: %w", err)
	}
	if graph == nil {
		return nil, errors.New("this is no DOT: there is no graph")
	}
	defer graph.Close()
	var svg bytes.Buffer
	if err := g.Render(ctx, graph, graphviz.SVG, &svg); err != nil {
		return nil, err
	}
	return svg.Bytes(), nil
}
