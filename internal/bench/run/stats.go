package run

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Summary is a median with the ends of its 95 % confidence interval.
type Summary struct{ Median, Lo, Hi float64 }

// Summarize makes no assumption about how the samples are spread. The values stay in
// their order, which tells what ran beside what.
func Summarize(values []float64) Summary {
	s := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	x := benchmath.AssumeNothing.Summary(s, 0.95)
	lo, hi := x.Lo, x.Hi
	if math.IsInf(lo, 0) {
		lo = slices.Min(values)
	}
	if math.IsInf(hi, 0) {
		hi = slices.Max(values)
	}
	return Summary{x.Center, lo, hi}
}

// Ratio compares a line with the baseline, sample by sample: those of one index ran
// next to each other, so that a machine that was slow for a while was slow for both.
func Ratio(line, base Line) Summary {
	ratios := make([]float64, min(len(line.NsPerOp), len(base.NsPerOp)))
	for i := range ratios {
		ratios[i] = line.NsPerOp[i] / base.NsPerOp[i]
	}
	return Summarize(ratios)
}

// Find is the line of a contestant; ok is false where there is none.
func (r Result) Find(name string) (line Line, ok bool) {
	for _, l := range r.Lines {
		if l.Name == name {
			return l, true
		}
	}
	return Line{}, false
}
