// Emit writes the tables of a package's state machines, one file per dialect: schema/sqlite.sql, schema/postgres.sql and schema/mysql.sql. It runs in the package's folder, by go generate.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/parser"
	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/templates/schema"
	"github.com/idemgen/idemgen/templates/sqltext"
)

func main() {
	if err := write(context.Background(), "."); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "emit:", err)
		os.Exit(1)
	}
}

// write writes the files of the package in a folder.
func write(ctx context.Context, dir string) error {
	files, err := emit(ctx, dir)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// emit makes the files, by their paths below the folder of the package.
func emit(ctx context.Context, dir string) (map[string]string, error) {
	parsed, diags := parser.Parse(ctx, parser.Config{Dir: dir, Patterns: []string{"."}})
	if len(diags) > 0 {
		var faults []error
		for _, d := range diags {
			faults = append(faults, fault(d))
		}
		return nil, errors.Join(faults...)
	}
	s, err := schema.Of(parsed.Packages...)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, d := range sqltext.Dialects {
		files[filepath.Join("schema", d.String()+".sql")] = schema.Create(d, s, schema.Options{}).Text()
	}
	return files, nil
}

// fault is a diagnostic as an error.
func fault(d diag.Diagnostic) error {
	return fmt.Errorf("%s:%d: %s", d.Pos.File, d.Pos.Line, d.Message)
}
