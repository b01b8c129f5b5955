package idem_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

type hiddenField struct{ n int }

type leftOut struct {
	N    int
	Skip string `json:"-"`
}

type inner struct{ ID string }

type open struct {
	inner
	At   time.Time
	Big  *big.Int
	Raw  json.RawMessage
	Next *open
	By   map[string][]open
}

// TestLaw_C10_WhatATypeParameterStandsFor: a result that JSON would bring back as
// something else is done and can't be read, and never replayed as another.
func TestLaw_C10_WhatATypeParameterStandsFor(t *testing.T) {
	w := newWorld(t)
	unreadable(t, w, "hidden", hiddenField{7})
	unreadable(t, w, "pointer", &hiddenField{7})
	unreadable(t, w, "list", []hiddenField{{7}})
	unreadable(t, w, "left out", leftOut{N: 1, Skip: "x"})
	unreadable(t, w, "interface", any(hiddenField{7}))
	unreadable(t, w, "map", map[string]any{"a": 1})

	want := open{inner: inner{"A-1"}, At: time.Unix(1, 0).UTC(), Big: big.NewInt(7), Raw: json.RawMessage(`{"a":1}`), Next: &open{inner: inner{"A-2"}}}
	for range 2 {
		got, err := once(w, "open", want, nil)
		if err != nil || got.ID != "A-1" || got.Next.ID != "A-2" || got.Big.Int64() != 7 || !got.At.Equal(want.At) {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// unreadable calls twice: the first gets its result, the duplicate is told.
func unreadable[R any](t *testing.T, w *world, key string, res R) {
	t.Helper()
	ran := w.ran
	if _, err := once(w, key, res, nil); err != nil {
		t.Errorf("%s: %v", key, err)
	}
	if _, err := once(w, key, res, nil); !errors.Is(err, idem.ErrResultUnreadable) {
		t.Errorf("%s again: %v", key, err)
	}
	if w.ran != ran+1 {
		t.Errorf("%s ran %d times", key, w.ran-ran)
	}
}
