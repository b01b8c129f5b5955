// Package idem stands for the runtime.
package idem

type Change[S any] struct{ From, To S }

type BatchResult[S any] struct{ Err error }
