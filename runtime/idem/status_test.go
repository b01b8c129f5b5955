package idem

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// exported lists the error variables and error types that the package exports.
func exported(t *testing.T) (sentinels, types []string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, isVar := s.(*ast.ValueSpec); isVar && strings.HasPrefix(v.Names[0].Name, "Err") {
						sentinels = append(sentinels, v.Names[0].Name)
					}
				}
			case *ast.FuncDecl:
				if d.Name.Name == "Error" && d.Recv != nil {
					name := d.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
					if ast.IsExported(name) {
						types = append(types, name)
					}
				}
			}
		}
	}
	return sentinels, types
}

func TestLaw_OutcomesAreOneClosedSet(t *testing.T) {
	table, err := os.ReadFile("status.go")
	if err != nil {
		t.Fatal(err)
	}
	sentinels, types := exported(t)
	if len(sentinels) < 30 || len(types) < 5 {
		t.Fatalf("found only %v and %v", sentinels, types)
	}
	for _, name := range sentinels {
		if !regexp.MustCompile(`sentinel: ` + name + `\}`).Match(table) {
			t.Errorf("%s is not in the outcome table", name)
		}
	}
	samples := map[string]struct {
		err  error
		code string
	}{
		"KeyError":          {&KeyError{Err: ErrMissingKey}, "missing_key"},
		"InProgressError":   {&InProgressError{}, "in_progress"},
		"ReplayedError":     {&ReplayedError{Text: "x"}, "error"},
		"ValueError":        {&ValueError{}, "unhashable"},
		"TransitionError":   {&TransitionError{Kind: TransitionGuard}, "guard_failed"},
		"UnknownStateError": {&UnknownStateError{}, "unknown_state"},
		"LockHeldError":     {&LockHeldError{}, "lock_held"},
		"VersionError":      {&VersionError{Kind: VersionConflict}, "conflict"},
	}
	for _, name := range types {
		s, known := samples[name]
		if !known {
			t.Errorf("error type %s has no sample here", name)
			continue
		}
		if got := StatusOf(fmt.Errorf("wrapped: %w", s.err)).Code; got != s.code {
			t.Errorf("%s is %q, want %q", name, got, s.code)
		}
	}
}

func TestLaw_OutcomeRows(t *testing.T) {
	codes := map[string]bool{}
	for i, s := range Statuses() {
		if codes[s.Code] || s.Code == "" || s.Title == "" || s.HTTP < 200 || s.HTTP > 599 || s.GRPC > 16 || s.Queue < Ack || s.Queue > DeadLetter {
			t.Errorf("row %d: %+v", i, s)
		}
		codes[s.Code] = true
		if s.Err() != nil && StatusOf(fmt.Errorf("x: %w", s.Err())).Code != s.Code {
			t.Errorf("%v is %q", s.Err(), StatusOf(s.Err()).Code)
		}
		if s.RetryAfter != (s.HTTP == 503 || s.Code == "in_progress" || s.Code == "lock_held") {
			t.Errorf("%s: retry-after %v", s.Code, s.RetryAfter)
		}
	}
	for err, want := range map[error]struct {
		http  int
		queue QueueAnswer
	}{
		nil:           {200, Ack},
		ErrMissingKey: {400, DeadLetter}, ErrMissingScope: {400, DeadLetter}, ErrTokenMissing: {400, DeadLetter},
		ErrInProgress: {409, Nack}, ErrLockHeld: {409, Nack}, ErrKeyReused: {422, DeadLetter},
		ErrTokenUsed: {409, DeadLetter}, ErrTokenExpired: {410, DeadLetter}, ErrTokenUnknown: {403, DeadLetter}, ErrTokenMismatch: {403, DeadLetter},
		ErrDuplicateTransition: {409, Ack}, ErrSuperseded: {409, Ack}, ErrIllegalTransition: {409, DeadLetter}, ErrGuardFailed: {409, DeadLetter},
		ErrNotFound: {404, DeadLetter}, ErrTransitionConflict: {409, Nack}, ErrConflict: {409, Nack}, ErrRetryTransaction: {409, Nack},
		ErrLeaseLost: {409, Nack}, ErrLockLost: {409, Nack}, ErrOutcomeUnknown: {409, DeadLetter},
		ErrResultTooLarge: {409, Ack}, ErrResultUnreadable: {409, Ack}, ErrStoreUnavailable: {503, Nack}, ErrInsideTransaction: {500, Nack},
		errors.New("business"): {500, Nack},
	} {
		if s := StatusOf(err); s.HTTP != want.http || s.Queue != want.queue {
			t.Errorf("%v: %d %v, want %d %v", err, s.HTTP, s.Queue, want.http, want.queue)
		}
	}
	Statuses()[0].Code = "changed"
	if StatusOf(nil).Code != "ok" {
		t.Error("the table can be altered (S11)")
	}
}

func TestLaw_EventsHaveNamesAndLevels(t *testing.T) {
	seen := map[string]bool{}
	for k := EventExecuted; k < eventKinds; k++ {
		if name := k.String(); name == "" || name == "invalid" || seen[name] {
			t.Errorf("event %d is called %q", k, name)
		} else {
			seen[name] = true
		}
	}
	if EventKind(200).String() != "invalid" || ClaimStatus(99).String() != "invalid" || QueueAnswer(9).String() != "invalid" || Dialect(9).String() != "invalid" || TransitionKind(77).String() != "invalid" {
		t.Error("a value outside a set has a name")
	}
	for _, s := range []string{Fresh.String(), Running.String(), Done.String(), Held.String(), Absent.String(), Ack.String(), Nack.String(), DeadLetter.String(), SQLite.String(), Postgres.String(), MySQL.String()} {
		if s == "invalid" {
			t.Error("a value of a set has no name")
		}
	}
}
