package idem_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// maybe writes null where it holds nothing.
type maybe struct{ Valid bool }

func (m maybe) MarshalJSON() ([]byte, error) {
	if !m.Valid {
		return []byte("null"), nil
	}
	return []byte("true"), nil
}

func (m *maybe) UnmarshalJSON(b []byte) error { m.Valid = string(b) == "true"; return nil }

type hiddenText struct{ Name string }

type textKey struct{ b string }

func (k textKey) MarshalText() ([]byte, error)     { return []byte(k.b), nil }
func (k *textKey) UnmarshalText(text []byte) error { k.b = string(text); return nil }

func TestLaw_C10_JSONRefusesWhatItLoses(t *testing.T) {
	var none *int
	var noList []int
	for name, v := range map[string]any{
		"text": "tok\xff", "field": line{SKU: "\xff"}, "map key": map[string]int{"\xff": 1}, "map value": map[string]string{"a": "\xff"}, "element": []string{"a", "\xff"},
		"pointer": &line{SKU: "\xff"}, "interface": []any{"\xff"}, "marshaled text": textKey{"\xff"}, "marshaled key": map[textKey]int{{"\xff"}: 1},
		"unexported embedded": struct{ hiddenText }{hiddenText{"\xff"}},
		"null by method":      &maybe{}, "null in a field": struct{ M *maybe }{&maybe{}}, "null in a list": []*maybe{{}}, "pointer to nil": &none, "pointer to a nil list": &noList,
	} {
		if data, err := (idem.JSON{}).Encode(v); err == nil {
			t.Errorf("%s: encoded as %s", name, data)
		}
	}
}

func TestLaw_C10_JSONKeepsTheRest(t *testing.T) {
	for name, v := range map[string]any{
		"replacement character": "\ufffd", "its escape as a text": `\ufffd`, "the word": "null", "nil pointer in a field": struct{ M *maybe }{},
		"null by value": maybe{}, "null in a list": []maybe{{}, {true}}, "raw": json.RawMessage(`{"a":null,"b":"\ufffd"}`), "nil list": struct{ L []int }{},
		"empty list": []*maybe{}, "bytes": struct {
			B []byte
			N *int
		}{B: []byte{0xff}}, "keys": map[textKey]string{{"a"}: "null"},
	} {
		data, err := (idem.JSON{}).Encode(v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back := reflect.New(reflect.TypeOf(v))
		if err := (idem.JSON{}).Decode(data, back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), v) {
			t.Errorf("%s: %#v comes back as %#v, %v", name, v, back.Elem(), err)
		}
	}
}

// A result that JSON would change is remembered as done, and told as unreadable.
func TestLaw_C9_LossyResultIsDone(t *testing.T) {
	w := newWorld(t)
	ran := 0
	call := func() (string, error) {
		return idem.Once(context.Background(), w.store, w.engine.Call(context.Background(), &w.op, idem.String("k")), func(context.Context) (string, error) {
			ran++
			return "tok\xff", nil
		})
	}
	got, err := call()
	ok(t, err)
	equal(t, "result", got, "tok\xff")
	_, err = call()
	is(t, err, idem.ErrResultUnreadable)
	equal(t, "runs", ran, 1)
}
