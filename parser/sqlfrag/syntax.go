package sqlfrag

import "strings"

// Predicate reads the predicate of a where=: Scan, and one whole expression.
func Predicate(s string) ([]Token, *Error) {
	tokens, err := Scan(s)
	if err == nil {
		err = expression(tokens)
	}
	if err != nil {
		return nil, err
	}
	return tokens, nil
}

// expression refuses tokens that are no expression on any database: a further
// clause of the statement, which would take in what is written behind the piece,
// two operands without an operator, and an operator without an operand. It knows
// no more of the grammar than that; the rest is the database's to refuse.
func expression(tokens []Token) *Error {
	var prev *Token // the token in front, blanks left out
	depth := 0
	for i := range tokens {
		t := &tokens[i]
		if t.Kind == Space {
			continue
		}
		if err := misplaced(prev, t, depth); err != nil {
			return err
		}
		switch {
		case isOp(t, "("):
			depth++
		case isOp(t, ")"):
			depth--
		}
		prev = t
	}
	if wantsMore(prev) || prev != nil && prev.Kind == Op && prev.Text != ")" && prev.Text != "*" {
		return fault(prev.Off, "", "an operand is missing behind %s", prev.written())
	}
	return nil
}

// misplaced tells why a token can't stand behind prev, nil at the beginning.
func misplaced(prev, t *Token, depth int) *Error {
	switch {
	case depth == 0 && t.Kind == Word && clauses[strings.ToUpper(t.Text)] && !distinctFrom(prev, t):
		return fault(t.Off, `one expression is wanted; a column of that name stands in "quotes"`, "%s begins another clause", t.Text)
	case depth == 0 && isOp(t, ","):
		return fault(t.Off, "join conditions by AND", "a comma has no place between conditions")
	case missesOperator(prev, t, depth):
		return fault(t.Off, "", "an operator is missing in front of %s", t.written())
	case (isBinary(t) || isOp(t, ",")) && (prev == nil || isBinary(prev) || wantsMore(prev) || isOp(prev, "(") || isOp(prev, ",")):
		return fault(t.Off, "", "an operand is missing in front of %s", t.written())
	case (isBinary(prev) || wantsMore(prev)) && (isOp(t, ")") || isOp(t, ",") || joins(t)):
		return fault(prev.Off, "", "an operand is missing behind %s", prev.written())
	case joins(t) && (prev == nil || isOp(prev, "(") || isOp(prev, ",")):
		return fault(t.Off, "", "an operand is missing in front of %s", t.written())
	}
	return nil
}

// missesOperator tells two operands side by side. A quoted name may also be an
// alias inside a subselect, and the name of a function.
func missesOperator(prev, t *Token, depth int) bool {
	if prev == nil {
		return false
	}
	literal := func(t *Token) bool { return t.Kind == Param || t.Kind == Const || t.Kind == Text || t.Kind == Number }
	value := literal(prev) || prev.Kind == Name || isOp(prev, ")")
	return value && (literal(t) || t.Kind == Name && depth == 0) || literal(prev) && isOp(t, "(")
}

// distinctFrom tells the FROM of IS DISTINCT FROM.
func distinctFrom(prev, t *Token) bool {
	return prev != nil && isKeyword(*t, "FROM") && isKeyword(*prev, "DISTINCT")
}

func isOp(t *Token, text string) bool { return t != nil && t.Kind == Op && t.Text == text }

func isBinary(t *Token) bool { return t != nil && t.Kind == Op && binary[t.Text] }

// joins tells AND and its like.
func joins(t *Token) bool {
	return t != nil && t.Kind == Word && (isKeyword(*t, "AND") || isKeyword(*t, "OR") || isKeyword(*t, "XOR"))
}

// wantsMore tells a word that no expression ends with.
func wantsMore(t *Token) bool {
	return joins(t) || t != nil && (isKeyword(*t, "NOT") || isKeyword(*t, "LIKE") || isKeyword(*t, "BETWEEN"))
}

// binary are the operators that stand between two operands. The others may also be
// a sign, or all columns.
var binary = set("= <> != < <= > >= << >> / % <=> -> ->> | &")

// clauses are words that begin a clause behind an expression. All of them are
// reserved by some database, so that a column of the name wants quotes anyway.
var clauses = set("SELECT FROM WHERE GROUP HAVING ORDER LIMIT OFFSET UNION EXCEPT INTERSECT RETURNING FOR SET INTO")
