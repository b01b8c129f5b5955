package idem

import "encoding/json"

// Codec turns results into bytes and back. Implementations are safe for
// concurrent use. Decode must restore what Encode was given (C10).
type Codec interface {
	// Name is stored beside the data: at most 32 bytes of ASCII, not starting
	// with a punctuation mark. Data of another name is not decoded.
	Name() string
	Encode(v any) ([]byte, error)
	// Decode fills *v; v is a pointer to a zero result.
	Decode(data []byte, v any) error
}

// JSON is the default codec: encoding/json, under the name "json". A
// json.RawMessage comes back without the blanks in it: the value is the same, the
// bytes may not be.
type JSON struct{}

// Name returns "json".
func (JSON) Name() string { return "json" }

// Encode is json.Marshal. It refuses what encoding/json would
// write and not bring back: texts and map keys that are not UTF-8, and pointers to
// what it writes as null (C10).
func (JSON) Encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err == nil {
		err = lossyJSON(v, data)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Decode is json.Unmarshal.
func (JSON) Decode(data []byte, v any) error { return json.Unmarshal(data, v) }

// None is the result of a method without one.
type None struct{}
