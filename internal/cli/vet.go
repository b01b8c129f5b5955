package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/internal/vet"
	"github.com/idemgen/idemgen/parser/diag"
)

var vetCommand = &command{
	name: "vet", args: "[packages]", packages: true, everything: true, run: (*app).vet,
	summary: "find code that goes around what was generated, or guards by hand with holes",
	examples: `  idemgen vet
  idemgen vet -format=github ./...
`,
	about: "Vet runs these rules over the packages, by default ./..., inside go vet, which\nremembers what it found:\n\n" + vetRules() + "\nA line that ends in //nolint:idemgen is passed over. Tests and generated files are\nnot looked at. The same rules run as go vet -vettool=$(go tool -n idemgen) ./...",
}

// vetRules lists the rules for the help text.
func vetRules() string {
	var b strings.Builder
	for _, a := range vet.Rules() {
		title, _, _ := strings.Cut(a.Doc, "\n")
		fmt.Fprintf(&b, "  %-13s %s\n", a.Name, title)
	}
	return b.String()
}

// vet runs go vet with this program as its tool.
func (a *app) vet(ctx context.Context, opts *options) int {
	self, err := os.Executable()
	if err != nil {
		return a.fail(err)
	}
	goCommand := func(args ...string) ([]byte, error) {
		if len(opts.tags) > 0 {
			args = append(args, "-tags="+strings.Join(opts.tags, ","))
		}
		cmd := exec.CommandContext(ctx, "go", append(args, opts.patterns...)...)
		cmd.Dir = opts.dir
		return cmd.CombinedOutput() // go vet has printed JSON on either stream
	}
	a.phases.enter("go list")
	listed, err := goCommand("list", "-e")
	if err != nil {
		return a.fail(fmt.Errorf("go list: %s", bytes.TrimSpace(listed)))
	}
	asked := map[string]bool{} // go vet tells of what they import, too
	for _, path := range strings.Fields(string(listed)) {
		asked[path] = true
	}
	a.phases.enter("go vet")
	out, err := goCommand("vet", "-vettool="+self, "-json")
	if ctx.Err() != nil {
		return a.fail(errors.New("interrupted"))
	}
	diags, rest := findings(out, asked)
	if err != nil {
		if text := strings.TrimSpace(rest); text != "" {
			err = errors.New(text)
		}
		return a.fail(fmt.Errorf("go vet: %w", err))
	}
	a.report(opts.format, diags)
	return exitCode(diags)
}

// findings reads what go vet -json prints: a document for each package, and comment
// lines. Only packages that were asked for count. What is neither is returned as text.
func findings(out []byte, asked map[string]bool) (diags []diag.Diagnostic, rest string) {
	var documents, text bytes.Buffer
	depth := 0
	for line := range bytes.Lines(out) {
		trimmed := bytes.TrimSpace(line)
		switch {
		case depth > 0 || bytes.HasPrefix(trimmed, []byte("{")):
			documents.Write(line)
			switch { // the documents are indented: only braces of their own end them
			case bytes.Equal(bytes.TrimRight(line, "\r\n"), []byte("}")), bytes.Equal(trimmed, []byte("{}")) && depth == 0:
				depth = 0
			default:
				depth = 1
			}
		case !bytes.HasPrefix(trimmed, []byte("#")):
			text.Write(line)
		}
	}
	dec := json.NewDecoder(&documents)
	for {
		var doc map[string]map[string]json.RawMessage
		if err := dec.Decode(&doc); err != nil {
			break
		}
		for id, rules := range doc {
			path, _, _ := strings.Cut(id, " ") // example.com/shop [example.com/shop.test]
			if !asked[path] {
				continue
			}
			for rule, raw := range rules {
				var found []struct{ Posn, Message string }
				if err := json.Unmarshal(raw, &found); err != nil {
					text.WriteString(rule + ": " + string(raw) + "\n") // {"error": …}
					continue
				}
				for _, f := range found {
					diags = append(diags, diag.New(diag.Code(rule), position(f.Posn), "%s", f.Message))
				}
			}
		}
	}
	return diag.Dedupe(diags), text.String()
}

// position reads file:line:column.
func position(text string) model.Pos {
	parts := strings.Split(text, ":")
	if len(parts) < 3 {
		return model.Pos{File: text}
	}
	line, _ := strconv.Atoi(parts[len(parts)-2])
	col, _ := strconv.Atoi(parts[len(parts)-1])
	return model.Pos{File: filepath.Clean(strings.Join(slices.Clone(parts[:len(parts)-2]), ":")), Line: line, Col: col}
}
