//go:build race

package versions_test

// buildFlags build the programs as the test was built, so that they share what is
// compiled already.
var buildFlags = []string{"-race"}
