// Package bench measures idemgen beside its peers, so that every claim of speed can be
// run side by side by anyone: make bench writes RESULTS.md, make bench-growth GROWTH.md.
//
// The flow: a race (package run) lines up contestants that do the same work, ours,
// peers and a baseline, and lets them run by turns, so that whatever else the machine
// does befalls all of them alike. What is compared are ratios within a race; absolute
// times are for scale. A contestant also proves, at its end, that what was timed did
// the work; one that can't is refused. Package races has the runtime's, package gen those
// of the generator, package growth the tables with millions of records, package meter the
// processor time of both sides.
//
// Here stand the claims (bars.go, generators.go, rows.go), which RESULTS.md begins with,
// and the profiles behind the notes on those that are not met (profiles.go, NOTES.md).
package bench
