package idemtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Duplicates makes one call n times at once, and once more when all of them have
// returned: a customer who clicks n times, and comes back later. It fails t unless
// every one of them got the same result, or was told that the first is under way
// (idem.ErrInProgress, idem.ErrLockHeld), and the last one got it, too. It returns
// that result; how often the effect took place is for the caller to count. n below 1
// is 1. Results are equal by reflect.DeepEqual, or as JSON: a stored time has lost what
// only its process knows.
func Duplicates[R any](t testing.TB, n int, call func(ctx context.Context) (R, error)) R {
	t.Helper()
	var mu sync.Mutex
	var results []R
	var failed []error
	race(max(n, 1), func(int) {
		got, err := call(t.Context())
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			results = append(results, got)
		case !underWay(err):
			failed = append(failed, err)
		}
	})
	for _, err := range failed {
		t.Errorf("a duplicate got an error: %v", err)
	}
	last, err := call(t.Context())
	if err != nil {
		t.Errorf("the call after all others: %v", err)
	}
	for _, got := range results {
		if !same(got, last) {
			t.Errorf("two results of one call: %+v and %+v", got, last)
		}
	}
	return last
}

// same tells whether two results are one to whoever gets them.
func same(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	one, err := json.Marshal(a)
	if err != nil {
		return false
	}
	other, err := json.Marshal(b)
	return err == nil && bytes.Equal(one, other)
}

// underWay tells an error that asks to come again.
func underWay(err error) bool {
	return errors.Is(err, idem.ErrInProgress) || errors.Is(err, idem.ErrLockHeld)
}
