package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/internal/outfile"
	"github.com/idemgen/idemgen/parser/diag"
)

// models are the annotated packages, for commands that tell of them and generate
// nothing. Positions in them are relative to the folder of -C.
func (a *app) models(ctx context.Context, opts *options) ([]*model.Package, []diag.Diagnostic) {
	parsed, diags := a.parse(ctx, a.config(opts))
	absolute(opts.dir, diags)
	return parsed.Packages, diag.Dedupe(diags)
}

// placed is a file that a command with -o writes.
type placed struct {
	path    string // absolute
	content string
	mark    string // how the first line of such a file begins: no other file is replaced
}

// outputPath is the absolute path that -o names, from the folder of -C.
func (a *app) outputPath(opts *options) string {
	if filepath.IsAbs(opts.output) {
		return filepath.Clean(opts.output)
	}
	return filepath.Join(opts.dir, opts.output)
}

// put writes files, all or none, and only those whose bytes differ. A file that
// idemgen did not write is left alone and said.
func (a *app) put(opts *options, files []placed) []diag.Diagnostic {
	var changes []outfile.Change
	var refused []diag.Diagnostic
	for _, f := range files {
		c, d := placeOne(f)
		switch {
		case d != nil:
			refused = append(refused, *d)
		case c != nil:
			changes = append(changes, *c)
		}
	}
	if refused != nil {
		return refused
	}
	if failed := (outfile.Writer{}).Apply(changes); failed != nil {
		return failed
	}
	if opts.verbose {
		for _, c := range changes {
			a.note("wrote %s", a.rel(c.Path))
		}
	}
	return nil
}

func placeOne(f placed) (*outfile.Change, *diag.Diagnostic) {
	refuse := func(code diag.Code, format string, args ...any) (*outfile.Change, *diag.Diagnostic) {
		d := diag.New(code, model.Pos{File: f.path}, format, args...)
		return nil, &d
	}
	info, err := os.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &outfile.Change{Path: f.path, State: outfile.Missing, New: []byte(f.content)}, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return refuse(diag.CodeWrite, "the file can't be written: there is a directory, a link or a device of this name")
	}
	var old []byte
	if err == nil {
		old, err = os.ReadFile(f.path)
	}
	switch {
	case err != nil:
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err
		}
		return refuse(diag.CodeRead, "the file can't be read: %v", err)
	case string(old) == f.content:
		return nil, nil
	case len(bytes.TrimSpace(old)) > 0 && !strings.HasPrefix(string(old), f.mark):
		_, d := refuse(diag.CodeNotOurs, "the file was not written by this command: its first line does not begin with %q, so it is left alone", f.mark)
		hinted := d.WithHint("name another file, or remove this one")
		return nil, &hinted
	}
	return &outfile.Change{Path: f.path, State: outfile.Stale, Old: old, New: []byte(f.content), Mode: info.Mode().Perm()}, nil
}
