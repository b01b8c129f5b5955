// Package idem stands for the runtime.
package idem

import "time"

type Change[S any] struct{ From, To S }

type BatchResult[S any] struct{ Err error }

type Machine struct{ Name string }

type TokenOp struct{ Lease time.Duration }
