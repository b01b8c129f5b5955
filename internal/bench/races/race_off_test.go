//go:build !race

package races

// raceDetector tells that the race detector is on.
const raceDetector = false
