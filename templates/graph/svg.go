package graph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// SVGMark begins the first line of what Style returns.
const SVGMark = "<!-- " + Mark

// Style makes the file of a diagram out of the SVG that Graphviz made of DOT: with
// a title instead of the names of nodes, without the name and version of the
// program, and with colours for light and dark surroundings (prefers-color-scheme).
// It fails for what is no well-formed SVG.
func Style(d Diagram, svg []byte) ([]byte, error) {
	if err := wellFormed(svg); err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(svg), "\r\n", "\n")
	_, text, ok := strings.Cut(text, "<svg ")
	attributes, rest, closed := strings.Cut(text, ">")
	if !ok || !closed {
		return nil, errors.New("the outermost element is no <svg …>")
	}
	rest = nodeTitles.ReplaceAllString(comments.ReplaceAllString(rest, ""), "")
	var title bytes.Buffer
	if err := xml.EscapeText(&title, []byte(d.Title)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s -->\n<svg class=\"idemgen\" role=\"img\" %s>\n<title>%s</title>\n<style>\n%s</style>%s", SVGMark, attributes, title.Bytes(), css, rest)
	if err := wellFormed(b.Bytes()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var (
	nodeTitles = regexp.MustCompile(`(?m)^<title>[^<]*</title>\n`)
	comments   = regexp.MustCompile(`(?m)^<!--[^>]*-->\n`)
)

// wellFormed reads a whole document whose outermost element is an svg.
func wellFormed(svg []byte) error {
	dec := xml.NewDecoder(bytes.NewReader(svg))
	root := ""
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("this is no SVG: %w", err)
		}
		if e, ok := tok.(xml.StartElement); ok && root == "" {
			root = e.Name.Local
		}
	}
	if root != "svg" {
		return errors.New("this is no SVG: the outermost element is no svg")
	}
	return nil
}

// css colours a diagram. Attributes of SVG give way to it; the second outline of a
// final state is not filled, as it would hide the first.
const css = `.idemgen text { font-family: Helvetica, Arial, sans-serif; fill: #1f2328 }
.idemgen .node path, .idemgen .note polygon, .idemgen .note polyline { fill: none; stroke: #59636e }
.idemgen .node path:first-of-type { fill: #f6f8fa }
.idemgen .initial path { stroke: #0969da; stroke-width: 1.5 }
.idemgen .final path { stroke: #1a7f37 }
.idemgen .many path:first-of-type { fill: none }
.idemgen .start ellipse { fill: #0969da; stroke: #0969da }
.idemgen .edge path { fill: none; stroke: #59636e }
.idemgen .edge polygon { fill: #59636e; stroke: #59636e }
@media (prefers-color-scheme: dark) {
.idemgen text { fill: #f0f6fc }
.idemgen .node path, .idemgen .note polygon, .idemgen .note polyline { stroke: #9198a1 }
.idemgen .node path:first-of-type { fill: #151b23 }
.idemgen .initial path { stroke: #4493f8 }
.idemgen .final path { stroke: #3fb950 }
.idemgen .many path:first-of-type { fill: none }
.idemgen .start ellipse { fill: #4493f8; stroke: #4493f8 }
.idemgen .edge path { stroke: #9198a1 }
.idemgen .edge polygon { fill: #9198a1; stroke: #9198a1 }
}
`
