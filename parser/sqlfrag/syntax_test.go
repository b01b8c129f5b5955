package sqlfrag

import (
	"fmt"
	"testing"
)

// TestPredicate_Refuses: what would take in the rest of the statement, or is no
// expression on any database, is refused where it stands.
func TestPredicate_Refuses(t *testing.T) {
	for in, want := range map[string]string{
		"a = 1 WHERE b = 2":        "6: WHERE begins another clause",
		"a = 1 returning b":        "6: returning begins another clause",
		"a = 1 ORDER BY b LIMIT 1": "6: ORDER begins another clause",
		"a = 1 UNION SELECT 1":     "6: UNION begins another clause",
		"a = 1 FOR UPDATE":         "6: FOR begins another clause",
		"a FROM b":                 "2: FROM begins another clause",
		"limit = 1":                "0: limit begins another clause",
		"a = 1, b = 2":             "5: a comma has no place between conditions",
		"a = :x:int":               "6: an operator is missing in front of :int",
		"a = :x 5":                 "7: an operator is missing in front of 5",
		"a = 'x' 'y'":              "8: an operator is missing in front of 'y'",
		`a = :x "b"`:               "7: an operator is missing in front of b",
		"(a = 1) :x":               "8: an operator is missing in front of :x",
		"a = 5 (b)":                "6: an operator is missing in front of (",
		"a = = 1":                  "4: an operand is missing in front of =",
		"= 1":                      "0: an operand is missing in front of =",
		"a IN (, 1)":               "6: an operand is missing in front of ,",
		"a = 1 OR":                 "6: an operand is missing behind OR",
		"a = 1 AND NOT":            "10: an operand is missing behind NOT",
		"a >":                      "2: an operand is missing behind >",
		"a -":                      "2: an operand is missing behind -",
		"(a = ) OR b":              "3: an operand is missing behind =",
		"a AND OR b":               "2: an operand is missing behind AND",
		"AND a":                    "0: an operand is missing in front of AND",
		"(OR a)":                   "1: an operand is missing in front of OR",
	} {
		_, err := Predicate(in)
		if err == nil {
			t.Errorf("%q was taken", in)
			continue
		}
		if got := fmt.Sprintf("%d: %v", err.Off, err); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"a = 1 WHERE id = 5": "6: WHERE begins another clause",
		"a = 1, b = :x :y":   "14: an operator is missing in front of :y",
		"a = b +":            "6: an operand is missing behind +",
		"a = = 1":            "4: an operand is missing in front of =",
	} {
		_, err := Assignments(in)
		if err == nil {
			t.Errorf("%q was taken", in)
			continue
		}
		if got := fmt.Sprintf("%d: %v", err.Off, err); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

// TestPredicate_Takes: expressions of all three databases stay as they are.
func TestPredicate_Takes(t *testing.T) {
	for _, in := range []string{
		"a", "NOT a", "a IS NOT NULL", "a = -1 AND - - b > +:x", "a IS NOT DISTINCT FROM :x", "(a, b) = (:x, :y)",
		"SUBSTRING(a FROM 2 FOR 3) = 'x'", "EXTRACT(EPOCH FROM a) > 5", "TRIM(BOTH ' ' FROM a) <> ''",
		"EXISTS (SELECT 1 FROM u WHERE u.a = t.a ORDER BY u.b LIMIT 1)", "a IN (SELECT b AS \"x\" FROM u)", "COUNT(*) = 1",
		"(SELECT MAX(x) \"m\" FROM u) > 1", "a BETWEEN :x AND :y", "a NOT IN (1, 2)", "a > CURRENT_TIMESTAMP - INTERVAL '1 day'",
		"a < DATE_ADD(b, INTERVAL :n DAY)", "DATE '2020-01-01' < a", "a COLLATE nocase = 'x'", "a AT TIME ZONE 'UTC' > b",
		"CASE WHEN a THEN 1 ELSE 2 END = :n", "CASE a WHEN 1 THEN -1 END < 0", "data -> 'a' ->> 'b' = :k", "a LIKE '50!%' ESCAPE '!'",
		`"order" = 1 AND t."limit" < 2`, `"f"(a) = 1`, "a & 1 = 1 OR ~a = 1", "a = ANY(:x)", "offset_at > 1", "NOT (a) AND NOT b",
	} {
		if _, err := Predicate(in); err != nil {
			t.Errorf("%s: %d: %v", in, err.Off, err)
		}
	}
	for _, in := range []string{"order = 1, \"limit\" = 2", "a = DEFAULT", "a = (SELECT 1 FROM u WHERE b = 1), c = -d * 2", "a = COALESCE(a, :x), b = NULL"} {
		if _, err := Assignments(in); err != nil {
			t.Errorf("%s: %d: %v", in, err.Off, err)
		}
	}
}
