package vet

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestRules runs each rule on the fixtures, of which each has both sides: what a rule
// finds stands behind its line, and where nothing stands nothing is found.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rules    []*analysis.Analyzer
		packages []string
	}{
		{[]*analysis.Analyzer{SetNX}, []string{"locks"}},
		{[]*analysis.Analyzer{Unguarded, StateColumn, DroppedGuard, Lease}, []string{"shop", "caller", "described"}},
	} {
		all := &analysis.Analyzer{Name: "all", Doc: "all of them", Requires: append([]*analysis.Analyzer{guards}, c.rules...), Run: func(pass *analysis.Pass) (any, error) {
			for _, rule := range c.rules {
				if _, err := rule.Run(pass); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}}
		analysistest.Run(t, analysistest.TestData(), all, c.packages...)
	}
}

// TestAnalyzersAreValid: names, docs and requirements are as the framework wants them.
func TestAnalyzersAreValid(t *testing.T) {
	if err := analysis.Validate(Rules()); err != nil {
		t.Error(err)
	}
}

func TestIsToolCall(t *testing.T) {
	for _, args := range [][]string{{"-V=full"}, {"-flags"}, {"/tmp/vet.cfg"}, {"-json", "/tmp/vet.cfg"}} {
		if !IsToolCall(args) {
			t.Errorf("%q is how go vet calls", args)
		}
	}
	for _, args := range [][]string{nil, {"vet"}, {"check", "./..."}, {"-v"}} {
		if IsToolCall(args) {
			t.Errorf("%q is how people call", args)
		}
	}
}
