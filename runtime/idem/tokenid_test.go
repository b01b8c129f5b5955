package idem_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
)

// TestLaw_X4_TokensStayOutOfLogsAndErrors: whatever formats a token, or what holds
// it, writes a placeholder.
func TestLaw_X4_TokensStayOutOfLogsAndErrors(t *testing.T) {
	token := idem.NewToken()
	holder := struct {
		Token  idem.TokenText
		Tokens []idem.TokenText
		ByName map[idem.TokenText]idem.TokenText
		hidden idem.TokenText
	}{token, []idem.TokenText{token}, map[idem.TokenText]idem.TokenText{token: token}, token}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("issued", "token", token, "holder", holder)
	}
	body, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{log.String(), string(body), token.String(), fmt.Errorf("bad token %v", token).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10s", "%e", "%U", "%w"} {
		texts = append(texts, fmt.Sprintf(verb, token), fmt.Sprintf(verb, &holder))
	}
	for _, text := range texts {
		if strings.Contains(strings.ToUpper(text), token.Reveal()) || strings.Contains(strings.ToUpper(text), strings.ToUpper(fmt.Sprintf("%x", token.Reveal()))) {
			t.Errorf("%q shows the token", text)
		}
	}
}

func TestLaw_X4_TokensAreRandomAndKnownByTheirHash(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := idem.NewToken()
		text := token.Reveal()
		if len(text) < 26 || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" { // 5 bits each
			t.Fatalf("%d characters %q have fewer than 128 bits", len(text), text)
		}
		if seen[text] {
			t.Fatal("the same token twice")
		}
		seen[text] = true
		if token.ID() != idem.HashToken(text) || strings.Contains(fmt.Sprintf("%s", token.ID()), text) {
			t.Fatal("the ID is not the hash of the text")
		}
	}
	if none := (idem.TokenText{}); none.Reveal() != "" || none.ID() != idem.HashToken("") || none.String() == "" {
		t.Errorf("the zero value is %q", none.Reveal())
	}
}
