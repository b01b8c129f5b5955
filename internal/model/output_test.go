package model

import "testing"

// Only a file with our header, or a torn one with the name of an output, is ours to overwrite or remove (G6).
func TestLaw_G6_OursByHeader(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{OutputFile, Header + "\n\npackage a\n", true},
		{OutputTestFile, Header + "\r\n\r\npackage a\r\n", true},
		{OutputFile, "//go:build linux\n\n" + Header + "\n\npackage a\n", true},
		{OutputFile, "", true},
		{OutputFile, Header[:20], true},
		{OutputFile, "package a\n" + Header + "\n", false},
		{OutputFile, "// By hand.\npackage a\n", false},
		{OutputFile, Header + " Or not.\n\npackage a\n", false},
		{"idem_gen_old.go", Header + "\n\npackage a\n", true},
		{OutputMachineTest, "", true},
		{OutputMachineTest, "package a\n", false},
		{"idem_gen_old.go", "", false},
		{"orders.go", "package a\n", false},
	} {
		if got := Ours(c.name, []byte(c.src)); got != c.want {
			t.Errorf("Ours(%q, %q) = %v", c.name, c.src, got)
		}
	}
}
