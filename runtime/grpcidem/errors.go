package grpcidem

import (
	"errors"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ToStatus turns an error of a guarded call into a gRPC status by the outcome table:
// its code, its title, an ErrorInfo with the stable code as reason and RetryInfo
// where another try makes sense. The error's own text, which may name keys, stays on
// the server. An error that has a status already, or that is none of ours, is
// returned as it is; nil is nil.
func ToStatus(err error) error {
	if err == nil {
		return nil
	}
	if _, has := status.FromError(err); has {
		return err
	}
	row := idem.StatusOf(err)
	if row.Err() == nil {
		return err
	}
	st := status.New(codes.Code(row.GRPC), row.Title)
	info := &errdetails.ErrorInfo{Reason: row.Code, Domain: Domain}
	detailed, detailErr := st.WithDetails(info)
	if row.RetryAfter {
		detailed, detailErr = st.WithDetails(info, &errdetails.RetryInfo{RetryDelay: durationpb.New(retryAfter(err))})
	}
	if detailErr != nil {
		return st.Err()
	}
	return detailed.Err()
}

func retryAfter(err error) time.Duration {
	var running *idem.InProgressError
	var held *idem.LockHeldError
	switch {
	case errors.As(err, &running):
		return running.RetryAfter
	case errors.As(err, &held):
		return held.RetryAfter
	}
	return time.Second
}

// FromStatus turns a status that ToStatus made back: errors.Is finds the sentinel of
// the outcome beside the status. Any other error is returned as it is.
func FromStatus(err error) error {
	st, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	for _, d := range st.Details() {
		info, is := d.(*errdetails.ErrorInfo)
		if !is || info.GetDomain() != Domain {
			continue
		}
		for _, row := range idem.Statuses() {
			if row.Code == info.GetReason() && row.Err() != nil {
				return &remoteError{err, row.Err()}
			}
		}
	}
	return err
}

// remoteError is an error of a guarded call on another machine.
type remoteError struct {
	error
	sentinel error
}

// Unwrap returns the status and the sentinel.
func (e *remoteError) Unwrap() []error { return []error{e.error, e.sentinel} }

// GRPCStatus is the status that came over the wire.
func (e *remoteError) GRPCStatus() *status.Status { return status.Convert(e.error) }
