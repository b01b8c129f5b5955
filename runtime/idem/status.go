package idem

import (
	"errors"
	"slices"
)

// QueueAnswer is what a consumer tells its broker about a message.
type QueueAnswer uint8

// Queue answers.
const (
	Ack        QueueAnswer = iota + 1 // done
	Nack                              // deliver again, later
	DeadLetter                        // a redelivery would end the same way
)

// String returns the answer in snake case.
func (a QueueAnswer) String() string {
	if int(a) < len(queueNames) {
		return queueNames[a]
	}
	return queueNames[0]
}

var queueNames = [...]string{"invalid", "ack", "nack", "dead_letter"}

// Status is one row of the outcome table: what an outcome means to a caller,
// the same over function call, HTTP, gRPC and queue.
type Status struct {
	Code string // stable, snake case
	HTTP int    // status code
	GRPC uint32 // canonical gRPC code
	// Queue is the answer to a broker.
	Queue QueueAnswer
	// RetryAfter tells that an HTTP answer carries Retry-After.
	RetryAfter bool
	Title      string // one short sentence for people, without a full stop

	sentinel error
}

// gRPC's canonical codes, as far as the table uses them.
const (
	grpcOK                 = 0
	grpcUnknown            = 2
	grpcInvalidArgument    = 3
	grpcNotFound           = 5
	grpcAlreadyExists      = 6
	grpcPermissionDenied   = 7
	grpcFailedPrecondition = 9
	grpcAborted            = 10
	grpcInternal           = 13
	grpcUnavailable        = 14
	grpcDataLoss           = 15
)

// statuses is the closed set of outcomes. Where an error is several of them the
// first row wins, so the more particular stand first; the last is any other
// error: the business's own.
var statuses = [...]Status{
	{Code: "ok", HTTP: 200, GRPC: grpcOK, Queue: Ack, Title: "Executed or replayed"},
	{Code: "missing_key", HTTP: 400, GRPC: grpcInvalidArgument, Queue: DeadLetter, Title: "The idempotency key is missing or not usable", sentinel: ErrMissingKey},
	{Code: "missing_scope", HTTP: 400, GRPC: grpcInvalidArgument, Queue: DeadLetter, Title: "The scope of the key is missing", sentinel: ErrMissingScope},
	{Code: "token_missing", HTTP: 400, GRPC: grpcInvalidArgument, Queue: DeadLetter, Title: "The token is missing", sentinel: ErrTokenMissing},
	{Code: "unhashable", HTTP: 400, GRPC: grpcInvalidArgument, Queue: DeadLetter, Title: "The request has no canonical form", sentinel: ErrUnhashable},
	{Code: "key_reused", HTTP: 422, GRPC: grpcInvalidArgument, Queue: DeadLetter, Title: "The idempotency key was used with another payload", sentinel: ErrKeyReused},
	{Code: "in_progress", HTTP: 409, GRPC: grpcAborted, Queue: Nack, RetryAfter: true, Title: "A request with this key is in progress", sentinel: ErrInProgress},
	{Code: "lock_held", HTTP: 409, GRPC: grpcAborted, Queue: Nack, RetryAfter: true, Title: "The resource is locked", sentinel: ErrLockHeld},
	{Code: "token_used", HTTP: 409, GRPC: grpcFailedPrecondition, Queue: DeadLetter, Title: "The token was used", sentinel: ErrTokenUsed},
	{Code: "token_expired", HTTP: 410, GRPC: grpcFailedPrecondition, Queue: DeadLetter, Title: "The token expired", sentinel: ErrTokenExpired},
	{Code: "token_unknown", HTTP: 403, GRPC: grpcPermissionDenied, Queue: DeadLetter, Title: "The token is unknown", sentinel: ErrTokenUnknown},
	{Code: "token_mismatch", HTTP: 403, GRPC: grpcPermissionDenied, Queue: DeadLetter, Title: "The token belongs to another session", sentinel: ErrTokenMismatch},
	{Code: "duplicate_transition", HTTP: 409, GRPC: grpcAlreadyExists, Queue: Ack, Title: "The event was applied before", sentinel: ErrDuplicateTransition},
	{Code: "superseded", HTTP: 409, GRPC: grpcAlreadyExists, Queue: Ack, Title: "The event was applied before and the state has moved on", sentinel: ErrSuperseded},
	{Code: "illegal_transition", HTTP: 409, GRPC: grpcFailedPrecondition, Queue: DeadLetter, Title: "The event is not allowed in this state", sentinel: ErrIllegalTransition},
	{Code: "guard_failed", HTTP: 409, GRPC: grpcFailedPrecondition, Queue: DeadLetter, Title: "A condition of the event does not hold", sentinel: ErrGuardFailed},
	{Code: "not_found", HTTP: 404, GRPC: grpcNotFound, Queue: DeadLetter, Title: "There is no such row", sentinel: ErrNotFound},
	{Code: "transition_conflict", HTTP: 409, GRPC: grpcAborted, Queue: Nack, Title: "The state changed at the same time", sentinel: ErrTransitionConflict},
	{Code: "transition", HTTP: 409, GRPC: grpcFailedPrecondition, Queue: DeadLetter, Title: "The event was not applied", sentinel: ErrTransition},
	{Code: "unknown_state", HTTP: 500, GRPC: grpcDataLoss, Queue: DeadLetter, Title: "The stored state is unknown", sentinel: ErrUnknownState},
	{Code: "conflict", HTTP: 409, GRPC: grpcAborted, Queue: Nack, Title: "The version changed", sentinel: ErrConflict},
	{Code: "lease_lost", HTTP: 409, GRPC: grpcAborted, Queue: Nack, Title: "The claim was lost while the request ran", sentinel: ErrLeaseLost},
	{Code: "lock_lost", HTTP: 409, GRPC: grpcAborted, Queue: Nack, Title: "The lock was lost while the request ran", sentinel: ErrLockLost},
	{Code: "outcome_unknown", HTTP: 409, GRPC: grpcUnknown, Queue: DeadLetter, Title: "Nobody knows whether the first request took effect", sentinel: ErrOutcomeUnknown},
	{Code: "result_too_large", HTTP: 409, GRPC: grpcAlreadyExists, Queue: Ack, Title: "Done before, the result was too large to keep", sentinel: ErrResultTooLarge},
	{Code: "result_unreadable", HTTP: 409, GRPC: grpcAlreadyExists, Queue: Ack, Title: "Done before, the stored result is unreadable", sentinel: ErrResultUnreadable},
	{Code: "commit_unknown", HTTP: 503, GRPC: grpcUnavailable, Queue: Nack, RetryAfter: true, Title: "The commit was not confirmed", sentinel: ErrCommitUnknown},
	{Code: "store_unavailable", HTTP: 503, GRPC: grpcUnavailable, Queue: Nack, RetryAfter: true, Title: "The idempotency store is unavailable", sentinel: ErrStoreUnavailable},
	{Code: "retry_transaction", HTTP: 409, GRPC: grpcAborted, Queue: Nack, Title: "The transaction must be retried", sentinel: ErrRetryTransaction},
	{Code: "not_held", HTTP: 409, GRPC: grpcFailedPrecondition, Queue: DeadLetter, Title: "The record is not held", sentinel: ErrNotHeld},
	{Code: "invalid_op", HTTP: 500, GRPC: grpcInternal, Queue: DeadLetter, Title: "The operation is not set up correctly", sentinel: ErrInvalidOp},
	{Code: "inside_transaction", HTTP: 500, GRPC: grpcInternal, Queue: Nack, Title: "The operation can't run inside this transaction", sentinel: ErrInsideTransaction},
	{Code: "no_transaction", HTTP: 500, GRPC: grpcInternal, Queue: DeadLetter, Title: "There is no transaction", sentinel: ErrNoTransaction},
	{Code: "error", HTTP: 500, GRPC: grpcUnknown, Queue: Nack, Title: "The request failed"},
}

// Statuses returns the outcome table, a copy: first "ok", last any error that is
// none of the others.
func Statuses() []Status { return slices.Clone(statuses[:]) }

// Err is the sentinel of the row, nil for the first and the last.
func (s Status) Err() error { return s.sentinel }

// Passing tells an outcome that is only so for now: this call did nothing, and another
// try of it, after a while or with another token, may come to something else. A layer
// outside that stores outcomes stores none of these: the layer that answered is asked
// again.
func (s Status) Passing() bool {
	switch s.sentinel {
	case nil:
		return false
	case ErrTokenMissing, ErrTokenExpired, ErrTokenUnknown, ErrTokenMismatch, ErrOutcomeUnknown:
		return true
	}
	return s.Queue == Nack
}

// StatusOf tells what an error of a guarded call means to its caller. A nil
// error is the first row, one that is not of this package the last.
func StatusOf(err error) Status {
	if err == nil {
		return statuses[0]
	}
	for i := range statuses {
		if s := &statuses[i]; s.sentinel != nil && errors.Is(err, s.sentinel) {
			return *s
		}
	}
	return statuses[len(statuses)-1]
}
