package idem

import (
	"fmt"
	"strconv"
)

// maxStateText bounds the value in an UnknownStateError, in bytes.
const maxStateText = 64

// UnknownState makes the error of a value that no state of a machine has (S8).
func UnknownState(machine, value string) error {
	return &UnknownStateError{Machine: machine, Value: string(cut([]byte(value), maxStateText))}
}

// ScanText reads what a driver hands over for a text column. NULL is an
// *UnknownStateError, as is a value that is neither text nor a number. Blanks at
// the end count, as they do in a guard: what a CHAR column of Postgres pads is read
// as CAST(status AS TEXT). Bytes are a text, since that is what drivers hand over
// for one; that SQLite stores a BLOB there, only its guard can tell.
func ScanText(machine string, src any) (string, error) {
	switch src.(type) {
	case nil:
		return "", &UnknownStateError{Machine: machine, Null: true}
	case string, []byte, int64, bool:
		return valueText(src), nil
	}
	return "", UnknownState(machine, valueText(src))
}

// ScanInt reads what a driver hands over for an integer column.
func ScanInt(machine string, src any) (int64, error) {
	switch v := src.(type) {
	case nil:
		return 0, &UnknownStateError{Machine: machine, Null: true}
	case int64:
		return v, nil
	}
	n, err := strconv.ParseInt(valueText(src), 10, 64)
	if err != nil {
		return 0, UnknownState(machine, valueText(src))
	}
	return n, nil
}

// ScanUint reads what a driver hands over for an unsigned integer column.
func ScanUint(machine string, src any) (uint64, error) {
	switch v := src.(type) {
	case nil:
		return 0, &UnknownStateError{Machine: machine, Null: true}
	case uint64:
		return v, nil
	}
	n, err := strconv.ParseUint(valueText(src), 10, 64)
	if err != nil {
		return 0, UnknownState(machine, valueText(src))
	}
	return n, nil
}

// ScanBool reads what a driver hands over for a bool column: a bool, 0 or 1.
func ScanBool(machine string, src any) (bool, error) {
	if src == nil {
		return false, &UnknownStateError{Machine: machine, Null: true}
	}
	switch valueText(src) {
	case "true", "1", "t":
		return true, nil
	case "false", "0", "f":
		return false, nil
	}
	return false, UnknownState(machine, valueText(src))
}

// valueText is a driver's value as text.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	}
	return fmt.Sprint(v)
}
