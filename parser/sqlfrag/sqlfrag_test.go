package sqlfrag

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dump writes tokens as kind:text, blanks left out.
func dump(tokens []Token) string {
	names := [...]string{"word", "name", "param", "const", "text", "number", "op", "space"}
	var out []string
	for _, t := range tokens {
		if t.Kind != Space {
			out = append(out, names[t.Kind]+":"+t.Text)
		}
	}
	return strings.Join(out, " ")
}

func TestScan(t *testing.T) {
	for in, want := range map[string]string{
		`tenant_id = :tenant`:                 "word:tenant_id op:= param:tenant",
		` "order" = 'it''s' `:                 "name:order op:= text:it's",
		"`a``b`>=1.5e3":                       "name:a`b op:>= number:1.5e3",
		`state = :Paid OR state=:pb.Paid`:     "word:state op:= const:Paid word:OR word:state op:= const:pb.Paid",
		`balance - :amount >= 0`:              "word:balance op:- param:amount op:>= number:0",
		`COALESCE(o.note, '') <> '支付'`:        "word:COALESCE op:( word:o.note op:, text: op:) op:<> text:支付",
		`x IN (1, 2) AND NOT (y IS NULL)`:     "word:x word:IN op:( number:1 op:, number:2 op:) word:AND word:NOT op:( word:y word:IS word:NULL op:)",
		`a = 'x -- y; ? $1 # :z' AND b = :b2`: "word:a op:= text:x -- y; ? $1 # :z word:AND word:b op:= param:b2",
		`data ->> 'k' = :k`:                   "word:data op:->> text:k op:= param:k",
		`größe = :größe`:                      "word:größe op:= param:größe",
	} {
		tokens, err := Scan(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := dump(tokens); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", in, got, want)
		}
		for _, tok := range tokens {
			plain := tok.Kind == Word || tok.Kind == Number || tok.Kind == Op
			if plain && !strings.HasPrefix(in[tok.Off:], tok.Text) {
				t.Errorf("%s: token %q at %d", in, tok.Text, tok.Off)
			}
		}
	}
}

// TestScan_Refuses: what could end the statement, or means another thing elsewhere,
// is refused where it stands.
func TestScan_Refuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "0: the SQL is empty",
		"  ":                "0: the SQL is empty",
		"a = 1; DROP":       "5: ; ends the statement",
		"a = 1 -- x":        "6: -- begins a comment",
		"a = 1 /* x":        "6: /* begins a comment",
		"a = 1 # x":         "6: # begins a comment on MySQL",
		"a = ?":             "4: ? is a placeholder of a driver",
		"a = $1":            "4: $ is a placeholder of a driver",
		"a::text = 'x'":     "1: :: is a cast of Postgres alone",
		"a = @x":            "4: @ names a variable on MySQL",
		"a = (1":            "4: the parenthesis is not closed",
		"a = 1) OR (1 = 1":  "5: a parenthesis is closed that was not opened",
		"a = 'x":            "4: the text has no closing '",
		`a = "x`:            "4: the name has no closing \"",
		`"" = 1`:            "0: the name is empty",
		"a = :":             "4: a name is missing behind the colon",
		"a = :1":            "4: a name is missing behind the colon",
		"a = :pb.paid":      "4: pb.paid is not exported",
		"a = 0x1F":          "4: 0x is no number",
		"a = E'x'":          "4: E in front of a quote changes what the text means",
		"a = 'x' || b":      "8: || is OR on MySQL and joins texts elsewhere",
		"a = 'x\x00y'":      "6: a NUL byte has no place in SQL",
		"a = \xff":          "4: the SQL is not UTF-8 here",
		`a = b \ c`:         `6: \ is an escape on MySQL alone`,
		"a = 1\x01":         "5: character U+0001 has no place in SQL",
		"a = b [1]":         "6: [ is an array of Postgres or a name of SQLite",
		"a == 1":            "2: == is SQLite's alone",
		"a ^ 1 = 1":         "2: ^ is a power on Postgres and XOR on MySQL",
		"x = '\xff' AND 1 ": "4: the text is not UTF-8",
	} {
		_, err := Scan(in)
		if err == nil {
			t.Errorf("%q was taken", in)
			continue
		}
		if got := fmt.Sprintf("%d: %v", err.Off, err); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestAssignments(t *testing.T) {
	got, err := Assignments(`paid_at = :at, "order" = COALESCE(a, 1) , note=''`)
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, a := range got {
		text = append(text, fmt.Sprintf("%d %s = %s", a.Off, a.Column, dump(a.Expr)))
	}
	want := []string{
		"0 paid_at = param:at",
		"15 order = word:COALESCE op:( word:a op:, number:1 op:)",
		"42 note = text:",
	}
	if d := cmp.Diff(want, text); d != "" {
		t.Error(d)
	}
	for in, want := range map[string]string{
		"":            "0: the SQL is empty",
		"a":           "0: = is wanted behind column a",
		"a + 1":       "2: = is wanted behind column a",
		"a =":         "2: column a is assigned nothing",
		"a = 1,":      "6: an assignment is missing: column = expression is wanted",
		"a = 1, , b":  "6: an assignment is missing: column = expression is wanted",
		"t.a = 1":     "0: t.a: a column is assigned without its table",
		"(a, b) = c":  "0: a column is wanted, found (",
		":x = a":      "0: a column is wanted, found :x",
		"a = 1; b= 2": "5: ; ends the statement",
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

func TestEqualitiesAndColumns(t *testing.T) {
	for in, want := range map[string]string{
		"tenant_id = :tenant":                         "tenant_id=tenant | tenant_id",
		":t = o.tenant_id AND region = :r":            "tenant_id=t region=r | tenant_id region",
		"tenant_id = :t AND (a = :a OR b = :b)":       "tenant_id=t | tenant_id a b",
		"tenant_id = :t OR admin = :a":                " | tenant_id admin",
		"x BETWEEN :a AND y = :b":                     " | x y",
		"NOT tenant_id = :t":                          " | tenant_id",
		"tenant_id = :t + 1":                          " | tenant_id",
		"`group` = :g AND CAST(a AS DECIMAL) > :b":    "group=g | group a",
		"NULL = :x AND lower(name) = :n":              " | name",
		"tenant_id = :tenant AND deleted_at IS NULL ": "tenant_id=tenant | tenant_id deleted_at",
	} {
		tokens, err := Scan(in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		var eq, cols []string
		for _, e := range Equalities(tokens) {
			eq = append(eq, e.Column+"="+e.Param)
		}
		for _, c := range Columns(tokens) {
			cols = append(cols, c.Text)
		}
		if got := strings.Join(eq, " ") + " | " + strings.Join(cols, " "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", in, got, want)
		}
	}
}

// FuzzScan: nothing panics, offsets lie inside, and what was taken can be taken again.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"a = :b", `"x" = 'y''z'`, "((a))", "1e", ":", "a = 1 AND b BETWEEN :x AND :Y", "a=1,b=2", "\xff", "支 = :付"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tokens, err := Scan(s)
		if err != nil {
			if err.Off < 0 || err.Off > len(s) {
				t.Fatalf("error at %d of %d", err.Off, len(s))
			}
			return
		}
		last := -1
		for _, tok := range tokens {
			if tok.Off <= last || tok.Off >= len(s) {
				t.Fatalf("token %q at %d behind %d", tok.Text, tok.Off, last)
			}
			last = tok.Off
		}
		Columns(tokens)
		Equalities(tokens)
		if list, err := Assignments(s); err == nil && len(list) == 0 {
			t.Fatal("no assignments and no error")
		}
	})
}
