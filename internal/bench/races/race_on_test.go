//go:build race

package races

// raceDetector tells that the race detector is on: it allocates by itself.
const raceDetector = true
