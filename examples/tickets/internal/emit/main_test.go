package main

import (
	"os"
	"path/filepath"
	"testing"
)

// What is checked in is what the annotation needs.
func TestSchemaIsCurrent(t *testing.T) {
	const dir = "../../ticket"
	files, err := emit(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is out of date (%v): run go generate ./tickets/ticket", name, err)
		}
	}
	if len(files) != 3 {
		t.Errorf("%d files", len(files))
	}
}
