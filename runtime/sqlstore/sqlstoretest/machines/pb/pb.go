// Package pb is an enum of another package, as protoc makes one.
package pb

// Status is the state of a job.
type Status int32

// States of a job.
const (
	Status_QUEUED  Status = 0
	Status_RUNNING Status = 3
	Status_OVER    Status = 4
)

// String returns the name of the state.
func (s Status) String() string {
	switch s {
	case Status_QUEUED:
		return "QUEUED"
	case Status_RUNNING:
		return "RUNNING"
	}
	return "OVER"
}
