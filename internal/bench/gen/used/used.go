// Package used is what command measure tells package gen. It imports next to nothing, so
// that the command stays small.
package used

import "time"

// Used is what one run took, with the processes that it started.
type Used struct {
	Wall, Processor time.Duration
	PeakBytes       int64 // resident, of the largest of its processes
}

// PeakMB is the peak in megabytes of 1,000,000 bytes.
func (u Used) PeakMB() float64 { return float64(u.PeakBytes) / 1e6 }
