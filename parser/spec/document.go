package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/parser/diag"
)

// document parses the one YAML document of a text; nil with diagnostics, or where
// there is none.
func (t *text) document() (*yaml.Node, []diag.Diagnostic) {
	src := t.src[t.bom:]
	dec := yaml.NewDecoder(bytes.NewReader(src))
	doc, err := next(dec)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, []diag.Diagnostic{t.syntax(err)}
	}
	switch second, err := next(dec); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, []diag.Diagnostic{t.syntax(err)}
	default:
		return nil, []diag.Diagnostic{diag.New(diag.CodeYAMLFeature, t.pos(t.offset(second.Line, second.Column)), "a second document in one file").
			WithHint("write all packages below one packages:")}
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// next decodes a document without following anything in it. Input that the parser
// does not survive is an error like any other.
func next(dec *yaml.Decoder) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: the file can't be parsed")
		}
	}()
	doc = new(yaml.Node)
	err = dec.Decode(doc)
	return doc, err
}

// syntax is an error of the parser at the line that breaks the file.
func (t *text) syntax(err error) diag.Diagnostic {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		if number, tail, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				line, message = n, tail
			}
		}
	}
	at := t.lines[min(t.breaking(line), len(t.lines))-1]
	for at < len(t.src) && t.src[at] == ' ' {
		at++
	}
	if at == 0 {
		at = t.bom
	}
	return diag.New(diag.CodeYAMLSyntax, t.pos(at), "not YAML: %s", message)
}

// maxSearch bounds the search for the line that breaks a file, in bytes that it parses:
// it is quadratic.
const maxSearch = 4 << 20

// breaking is the line, from 1, with which the file ceases to be YAML: what is
// before it parses. The parser itself names where the surrounding value begins,
// which may be far above; reported is that line.
func (t *text) breaking(reported int) int {
	parsed := 0
	for n := len(t.lines); n > 0 && parsed < maxSearch; n-- {
		before := t.src[min(t.bom, t.lines[n-1]):t.lines[n-1]]
		parsed += len(before)
		dec := yaml.NewDecoder(bytes.NewReader(before))
		var err error
		for err == nil {
			_, err = next(dec)
		}
		if errors.Is(err, io.EOF) {
			return n
		}
	}
	return max(1, reported)
}
