package sqlstore

import (
	"math"
	"time"
)

// Times in the table are whole microseconds since 1970 UTC, durations in
// statements whole microseconds from now.

// micros rounds a duration up to whole microseconds, so that a time never
// ends before what was asked for.
func micros(d time.Duration) int64 {
	us := int64(d / time.Microsecond)
	if d%time.Microsecond > 0 {
		us++
	}
	return us
}

// duration turns microseconds of a statement's answer into a duration; what is
// too long for one becomes the longest.
func duration(us int64) time.Duration {
	if us > math.MaxInt64/int64(time.Microsecond) {
		return math.MaxInt64
	}
	return time.Duration(us) * time.Microsecond
}
