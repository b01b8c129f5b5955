package check

import (
	"reflect"
	"strings"
)

// columnTag is what the tags of one field say of its column.
type columnTag struct {
	column   string // "" for none
	conflict string // another column that a further tag names, or ""
	skip     bool   // the field is no column
	embedded bool   // its fields are columns, behind prefix
	prefix   string
	encoded  bool // a library writes another form of the value
	nullzero bool // bun writes NULL for the zero value
}

// readTag reads the db, gorm and bun tags of a field. A column that one of them
// names counts, also where another leaves the field out.
func readTag(tag reflect.StructTag) columnTag {
	var t columnTag
	if db, ok := tag.Lookup("db"); ok {
		name, _, _ := strings.Cut(db, ",")
		t.named(name)
	}
	if settings, ok := tag.Lookup("gorm"); ok {
		t.gorm(settings)
	}
	if options, ok := tag.Lookup("bun"); ok {
		t.bun(options)
	}
	t.skip = t.skip && t.column == ""
	return t
}

// named takes a column that a tag names.
func (t *columnTag) named(name string) {
	switch {
	case name == "-":
		t.skip = true
	case t.column == "":
		t.column = name
	case name != "" && name != t.column:
		t.conflict = name
	}
}

// gorm reads settings such as column:paid_at;not null.
func (t *columnTag) gorm(settings string) {
	for _, s := range strings.Split(settings, ";") {
		key, value, _ := strings.Cut(s, ":")
		switch key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value); key {
		case "-":
			t.skip = t.skip || value == "" || value == "all"
		case "column":
			t.named(value)
		case "embedded":
			t.embedded = true
		case "embeddedprefix":
			t.prefix = value
		case "serializer":
			t.encoded = true
		}
	}
}

// bun reads options such as paid_at,nullzero.
func (t *columnTag) bun(options string) {
	for i, o := range strings.Split(options, ",") {
		key, value, valued := strings.Cut(strings.TrimSpace(o), ":")
		switch {
		case i == 0 && !valued:
			t.named(key)
		case key == "rel" || key == "m2m" || key == "table":
			t.skip = true
		case key == "embed":
			t.embedded, t.prefix = true, value
		case key == "msgpack":
			t.encoded = true
		case key == "nullzero":
			t.nullzero = true
		}
	}
}

// initialisms are the words that gorm takes for one word wherever they stand in a
// name, in the order in which it looks for them.
var initialisms = strings.Fields("API ASCII CPU CSS DNS EOF GUID HTML HTTP HTTPS ID IP JSON LHS QPS RAM RHS RPC SLA SMTP SSH TLS TTL UID UI UUID URI URL UTF8 VM XML XSRF XSS")

// capitalised writes the initialism at the start of s as a word, and tells its
// length; 0 for none.
func capitalised(s string) (word string, n int) {
	for _, x := range initialisms {
		if strings.HasPrefix(s, x) {
			return x[:1] + strings.ToLower(x[1:]), len(x)
		}
	}
	return "", 0
}

// gormColumn is the column that gorm gives to a field by default: words in snake
// case, where UserID has the words User and ID.
func gormColumn(field string) string {
	var words strings.Builder
	for i := 0; i < len(field); {
		if word, n := capitalised(field[i:]); n > 0 {
			words.WriteString(word)
			i += n
			continue
		}
		words.WriteByte(field[i])
		i++
	}
	name := words.String()
	at := func(i int) byte {
		if i < 0 || i >= len(name) {
			return 0
		}
		return name[i]
	}
	var b strings.Builder
	for i := range len(name) {
		before, c, after := at(i-1), at(i), at(i+1)
		if !isCapital(c) {
			b.WriteByte(c)
			continue
		}
		insideRun := isCapital(before) && (after == 0 || isCapital(after) || isDigit(after))
		if i > 0 && !insideRun && (after == 0 || before != '_' && after != '_') {
			b.WriteByte('_')
		}
		b.WriteByte(c + 'a' - 'A')
	}
	return b.String()
}

// bunColumn is the column that bun gives to a field by default: a capital begins a
// word where a small letter stands before or behind it.
func bunColumn(field string) string {
	small := func(i int) bool { return i >= 0 && i < len(field) && field[i] >= 'a' && field[i] <= 'z' }
	var b strings.Builder
	for i := range len(field) {
		c := field[i]
		if !isCapital(c) {
			b.WriteByte(c)
			continue
		}
		if i > 0 && i+1 < len(field) && (small(i-1) || small(i+1)) {
			b.WriteByte('_')
		}
		b.WriteByte(c + 'a' - 'A')
	}
	return b.String()
}

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool   { return c >= '0' && c <= '9' }
