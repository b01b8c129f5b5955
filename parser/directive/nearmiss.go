package directive

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape is how close a comment line comes to a directive.
type shape uint8

const (
	notDirective shape = iota
	exact              // //idem:…
	spaceBefore        // // idem:once
	spaceInside        // //idem :once, //idem: once
	capital            // //Idem:once
	extraSlash         // ///idem:once
	noColon            // //idem once, //idem.once
	wideColon          // //idem：once, as a Chinese keyboard writes it
	wrongPrefix        // //idemgen:once, //iden:once
	inBlock            // /*idem:once*/
)

// fault completes "not a directive: …".
func (s shape) fault() string {
	switch s {
	case spaceBefore:
		return "there is a space behind the slashes"
	case spaceInside:
		return "there is a space around the colon"
	case capital:
		return "idem is written in lower case"
	case extraSlash:
		return "there is a slash too many"
	case noColon:
		return "the colon is missing"
	case wideColon:
		return "the colon is a full-width one"
	case wrongPrefix:
		return "the prefix is idem"
	case inBlock:
		return "it stands in a block comment"
	}
	return ""
}

// classify looks at a line comment without its two slashes. start is the
// offset of the word idem, name the text that stands where the directive's
// name should.
//
// A line that merely mentions a directive is not one: the word must be the
// first of the line. Forms that could as well be prose count only with a known
// name behind them.
func classify(s string) (sh shape, start int, name string) {
	if strings.HasPrefix(s, "idem:") {
		return exact, 0, firstWord(s[len("idem:"):])
	}
	sh, start, name = classifyLoose(s, true)
	if sh == notDirective && strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") {
		// Four slashes are a directive that was commented out.
		inner, at, n := classify(s[1:])
		if inner != notDirective {
			return extraSlash, at + 1, n
		}
	}
	return sh, start, name
}

// classifyBlock looks at one line of a block comment.
func classifyBlock(s string) (sh shape, start int, name string) {
	trimmed := strings.TrimLeft(s, blanks+"*")
	at := len(s) - len(trimmed)
	if sh, start, name = classifyLoose(trimmed, at == 0); sh == notDirective {
		return notDirective, 0, ""
	}
	return inBlock, at + start, name
}

// classifyLoose finds the forms that miss the exact one. tight tells that
// nothing stands between the comment mark and s.
func classifyLoose(s string, tight bool) (sh shape, start int, name string) {
	body := strings.TrimLeftFunc(s, isSpace)
	start = len(s) - len(body)
	if rest, at := strings.CutPrefix(body, "@idem:"); at { // as other languages write annotations
		if name = wordOf(rest); isKnown(name) {
			return wrongPrefix, start + 1, name
		}
		return notDirective, 0, ""
	}
	tight = tight && start == 0
	word := letters(body)
	if len(word) < 3 || word[0]|0x20 != 'i' || len(word) > len("idempotency") {
		return notDirective, 0, ""
	}
	rest := body[len(word):]
	afterWord := strings.TrimLeftFunc(rest, isSpace)
	colon := strings.HasPrefix(afterWord, ":")
	if !strings.EqualFold(word, "idem") {
		if name = wordOf(strings.TrimPrefix(rest, ":")); tight && strings.HasPrefix(rest, ":") && isKnown(name) && meansIdem(word) {
			return wrongPrefix, start, name
		}
		return notDirective, 0, ""
	}
	if wide, ok := strings.CutPrefix(afterWord, "："); ok {
		value := strings.TrimLeftFunc(wide, isSpace)
		if name = wordOf(value); isKnown(name) {
			return wideColon, start, name
		}
		return notDirective, 0, ""
	}
	if !colon {
		sep := strings.TrimLeft(rest, ".-=/; \t")
		name = firstWord(sep)
		if tight && word == "idem" && len(sep) < len(rest) && isKnown(name) {
			return noColon, start, name
		}
		return notDirective, 0, ""
	}
	afterColon := afterWord[1:]
	value := strings.TrimLeftFunc(afterColon, isSpace)
	name = wordOf(value)
	spaced := len(value) < len(afterColon) || len(afterWord) < len(rest)
	switch {
	case name == "":
		return notDirective, 0, ""
	case spaced && !isKnown(strings.ToLower(name)):
		return notDirective, 0, ""
	case spaced && !tight && !looksLikeArgs(value[len(name):]):
		return notDirective, 0, ""
	case !tight:
		return spaceBefore, start, name
	case spaced:
		return spaceInside, start, name
	}
	if word != "idem" {
		return capital, start, name
	}
	return exact, start, name // only below a block comment mark
}

// looksLikeArgs tells whether what stands behind a name can hardly be prose.
func looksLikeArgs(s string) bool {
	if strings.TrimSpace(s) == "" {
		return true
	}
	if !isBlank(s[0]) {
		return false
	}
	s = strings.TrimLeft(s, blanks)
	n := keyLen(s)
	return n > 0 && n < len(s) && s[n] == '='
}

// meansIdem tells whether another prefix was meant to be idem.
func meansIdem(word string) bool {
	switch strings.ToLower(word) {
	case "idemgen", "idempotent", "idempotency", "idemp", "idm", "iden", "idme", "idemm", "ideem", "iddem", "ide":
		return true
	}
	return false
}

func isKnown(name string) bool { return lookup(name) != nil }

// isSpace counts what looks like a space as one.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b'
}

// letters are the ASCII letters that s begins with.
func letters(s string) string {
	i := 0
	for i < len(s) && ('a' <= s[i]|0x20 && s[i]|0x20 <= 'z') {
		i++
	}
	return s[:i]
}

// wordOf is the name that s begins with, "" if it begins with anything else.
func wordOf(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf && (isWordByte(s[i]) || s[i] == '-') {
		i++
	}
	return s[:i]
}

// firstWord is everything up to a space.
func firstWord(s string) string {
	if i := strings.IndexAny(s, blanks); i >= 0 {
		return s[:i]
	}
	return s
}
