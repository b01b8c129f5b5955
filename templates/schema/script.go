package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/templates/sqltext"
)

// Script is the DDL of one dialect, and what it leads to.
type Script struct {
	Dialect    sqltext.Dialect
	Options    Options
	Schema     Schema   // what the database has when all statements have run
	Statements []string // without semicolons, in order
	Notes      []string // sentences for whoever runs it
}

// head marks the line that Read looks for.
const head = "-- idemgen:schema "

// header is what a file was made from.
type header struct {
	Dialect string `json:"dialect"`
	Options
	Schema
}

// Text is the script as a file: a line for Read, the notes as comments, and the
// statements, each ended by a semicolon and a newline.
func (s Script) Text() string {
	data, err := json.Marshal(header{s.Dialect.String(), s.Options, s.Schema})
	if err != nil {
		panic(err) // plain structs of strings
	}
	var b strings.Builder
	b.WriteString("-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.\n")
	b.WriteString(head)
	b.Write(data)
	b.WriteByte('\n')
	for _, n := range s.Notes {
		b.WriteString("-- " + strings.NewReplacer("\n", " ", "\r", " ").Replace(n) + "\n")
	}
	for _, stmt := range s.Statements {
		b.WriteString("\n" + stmt + ";\n")
	}
	return b.String()
}

// Read finds what a file of Text was made from. Its statements are not read: who
// edits them must edit the line as well, or migrate by hand.
func Read(text string) (sqltext.Dialect, Schema, Options, error) {
	for line := range strings.Lines(text) {
		data, ok := strings.CutPrefix(line, head)
		if !ok {
			continue
		}
		var h header
		dec := json.NewDecoder(strings.NewReader(data))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&h); err != nil {
			return 0, Schema{}, Options{}, fmt.Errorf("the line %q can't be read: %w", strings.TrimSpace(head), err)
		}
		for _, d := range sqltext.Dialects {
			if d.String() == h.Dialect {
				return d, h.Schema, h.Options, h.Schema.valid()
			}
		}
		return 0, Schema{}, Options{}, fmt.Errorf("unknown dialect %q", h.Dialect)
	}
	return 0, Schema{}, Options{}, errors.New("no line begins with " + strings.TrimSpace(head) + ": this is no schema of idemgen")
}

// valid refuses what Of can't have made.
func (s *Schema) valid() error {
	known := func(t Type) bool { _, ok := columnTypes[t]; return ok }
	for _, t := range s.Tables {
		if len(t.Name) == 0 || len(t.Key) == 0 {
			return errors.New("a table has no name or no key")
		}
		for _, c := range append(append([]Column{}, t.Key...), t.Others...) {
			if !known(c.Type) {
				return fmt.Errorf("%s.%s has the unknown type %q", joined(t.Name), c.Name, c.Type)
			}
		}
		for _, c := range t.States {
			if !known(c.Type) || len(c.Values) == 0 {
				return fmt.Errorf("%s.%s has the unknown type %q, or no states", joined(t.Name), c.Name, c.Type)
			}
		}
	}
	for _, h := range s.History {
		if len(h.Name) == 0 || !known(h.Key) || !known(h.State) {
			return errors.New("a history has no name, or unknown types")
		}
	}
	return nil
}
