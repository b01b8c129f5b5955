package directive

import (
	"go/token"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/idemgen/idemgen/parser/diag"
)

// scalar decodes one value or one element of a list.
func scalar[T any](d *decoder, arg *ArgSpec, t Text) (T, bool) {
	var v T
	ok := false
	switch p := any(&v).(type) {
	case *bool:
		*p, ok = true, true
	case *string:
		*p, ok = d.word(arg, t)
	case *time.Duration:
		*p, ok = d.duration(arg, t)
	case *Retention:
		*p, ok = d.retention(arg, t)
	case *Bytes:
		*p, ok = d.size(arg, t)
	case *Expr:
		*p, ok = d.expression(arg, t)
	case *Name:
		*p, ok = d.identifier(t, arg.Name+"=")
	case *ErrorRule:
		*p, ok = d.errorRule(arg, t)
	case *Fragment:
		*p, ok = d.fragment(arg, t)
	case *Assignments:
		*p, ok = d.assignments(arg, t)
	case *Named:
		*p, ok = d.named(arg, t)
	case *StateValue:
		*p, ok = d.stateValue(arg, t)
	case *Index:
		*p, ok = d.index(t)
	case *HTTPMethod:
		*p, ok = d.httpMethod(t)
	case *HeaderName:
		*p, ok = d.storedHeader(t)
	}
	return v, ok
}

// syntaxOf names the form of the value for the reference.
func syntaxOf[T any](arg *ArgSpec) string {
	var v T
	switch any(v).(type) {
	case bool:
		return "flag"
	case string:
		if arg.Values != nil {
			return strings.Join(arg.Values, " | ")
		}
		return formOf(arg.form).syntax
	case time.Duration:
		return "duration"
	case Retention:
		return "duration | never"
	case Bytes:
		return "size"
	case Expr:
		if arg.form == "constant" {
			return "constant"
		}
		return "expression"
	case Name:
		return "name"
	case ErrorRule:
		return "action:error"
	case Fragment:
		return "predicate"
	case Assignments:
		return "column = expression, …"
	case Named:
		return "name:" + arg.form
	case StateValue:
		return "constant:value"
	case Index:
		return "index | index(table.column, …)"
	case HTTPMethod:
		return "method"
	case HeaderName:
		return "header"
	}
	return ""
}

// form is a rule for a text.
type form struct {
	syntax string
	code   diag.Code
	ok     func(string) bool
	want   string // completes "%q is not …"
}

// formOf is the rule that a `form` tag names; ok is nil for none.
func formOf(name string) form {
	switch name {
	case "ident":
		return form{"name", diag.CodeBadValue, token.IsIdentifier, "a Go identifier"}
	case "name":
		return form{"name", diag.CodeNotIdentifier, token.IsIdentifier, "a Go identifier"}
	case "op":
		return form{"operation", diag.CodeOperationName, isOperation, "an operation name"}
	case "table":
		return form{"table | schema.table", diag.CodeColumnName, isTable, "a table name"}
	case "column":
		return form{"column", diag.CodeColumnName, isColumn, "a column name"}
	case "header":
		return form{"header", diag.CodeHeaderName, isFreeHeader, "the name of a header that can carry this"}
	case "consumer":
		return form{"name", diag.CodeBadValue, isOperation, "the name of a consumer: up to 200 visible ASCII bytes"}
	}
	return form{}
}

func (d *decoder) word(arg *ArgSpec, t Text) (string, bool) {
	if arg.Values != nil {
		for _, v := range arg.Values {
			if v == t.S {
				return t.S, true
			}
		}
		f := diag.New(diag.CodeBadValue, t.Pos(), "%q is not a value of %s=", t.S, arg.Name)
		if s := diag.Suggest(t.S, arg.Values); s != "" {
			f = f.WithHint("did you mean %q?", s)
		} else {
			f = f.WithHint("use %s", strings.Join(arg.Values, " or "))
		}
		d.add(f)
		return "", false
	}
	if f := formOf(arg.form); f.ok != nil && !f.ok(t.S) {
		d.add(diag.New(f.code, t.Pos(), "%q is not %s", t.S, f.want))
		return "", false
	}
	return t.S, true
}

// maxOperation bounds an operation name, in bytes: it is part of an indexed column.
const maxOperation = 200

func isOperation(s string) bool {
	return len(s) <= maxOperation && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf || r == 0x7f })
}

func isTable(s string) bool {
	schema, table, dotted := strings.Cut(s, ".")
	return isColumn(schema) && (!dotted || isColumn(table))
}

// maxColumn is the longest name that all dialects take, in bytes: Postgres cuts
// longer ones off in silence.
const maxColumn = 63

func isColumn(s string) bool {
	return s != "" && len(s) <= maxColumn && utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '.' })
}

// maxDuration keeps sums of a time and a duration inside an int64.
const maxDuration = 100 * 365 * 24 * time.Hour

func (d *decoder) duration(arg *ArgSpec, t Text) (time.Duration, bool) {
	bad := func(format string, args ...any) diag.Diagnostic {
		return diag.New(diag.CodeBadDuration, t.Pos(), format, args...)
	}
	v, err := time.ParseDuration(t.S)
	switch {
	case err != nil:
		d.add(bad("%q is not a duration", t.S).WithHint("%s", durationHint(t.S)))
	case v == 0 && !arg.zero:
		d.add(bad("%s= is zero", arg.Name))
	case v < 0:
		d.add(bad("%s= is negative", arg.Name))
	case v%time.Millisecond != 0 && v < time.Millisecond:
		d.add(bad("%s=%s is shorter than a millisecond", arg.Name, t.S))
	case v%time.Millisecond != 0:
		d.add(bad("%s=%s is not a whole number of milliseconds", arg.Name, t.S))
	case v > maxDuration:
		d.add(bad("%s=%s is longer than a hundred years", arg.Name, t.S))
	default:
		return v, true
	}
	return 0, false
}

// durationHint guesses what a text that is no duration was meant to be.
func durationHint(s string) string {
	number := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	n, err := strconv.ParseInt(number, 10, 32)
	unit := strings.ToLower(s[len(number):])
	switch {
	case err != nil || n <= 0:
		return "write a number and a unit: 300ms, 30s, 5m, 24h"
	case unit == "":
		return "the unit is missing: " + s + "ms, " + s + "s, " + s + "m or " + s + "h"
	case unit == "d" || unit == "day" || unit == "days":
		return "write " + strconv.FormatInt(n*24, 10) + "h"
	case unit == "w" || unit == "week" || unit == "weeks":
		return "write " + strconv.FormatInt(n*7*24, 10) + "h"
	}
	return "write a number and a unit: 300ms, 30s, 5m, 24h"
}

func (d *decoder) retention(arg *ArgSpec, t Text) (Retention, bool) {
	if t.S == "never" {
		return Never, true
	}
	v, ok := d.duration(arg, t)
	if last := len(d.diags) - 1; !ok && diag.Suggest(t.S, []string{"never"}) != "" {
		d.diags[last].Hint = `did you mean "never"?`
	}
	return Retention(v), ok
}

// splitUnit cuts the unit off a size.
func splitUnit(s string) (number string, factor int64) {
	for _, u := range [...]struct {
		suffix string
		factor int64
	}{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
		{"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
	} {
		if n, ok := strings.CutSuffix(s, u.suffix); ok {
			return n, u.factor
		}
	}
	return s, 1
}

func (d *decoder) size(arg *ArgSpec, t Text) (Bytes, bool) {
	number, factor := splitUnit(t.S)
	digits := number != "" && strings.Trim(number, "0123456789") == ""
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case !digits:
		d.add(diag.New(diag.CodeBadSize, t.Pos(), "%q is not a size", t.S).WithHint("write bytes: 1000, 64KiB, 1MiB"))
	case err != nil || n > math.MaxInt64/factor:
		d.add(diag.New(diag.CodeBadSize, t.Pos(), "%s=%s is too large", arg.Name, t.S))
	case n == 0:
		d.add(diag.New(diag.CodeBadSize, t.Pos(), "%s= is zero", arg.Name))
	default:
		return Bytes(n * factor), true
	}
	return 0, false
}

func (d *decoder) errorRule(arg *ArgSpec, t Text) (ErrorRule, bool) {
	do, name, found := cutByte(t, ':')
	do, name = do.Trim(), name.Trim()
	if !found {
		d.add(diag.New(diag.CodeBadValue, t.Pos(), "%q does not say what the error means", t.S).
			WithHint("write release:%[1]s, store:%[1]s or unknown:%[1]s", t.S))
		return ErrorRule{}, false
	}
	what := &ArgSpec{Name: arg.Name, Values: []string{"release", "store", "unknown"}}
	action, ok := d.word(what, do)
	e, named := d.constant(name, "error")
	return ErrorRule{Do: action, Pos: do.Pos(), Name: e}, ok && named
}
