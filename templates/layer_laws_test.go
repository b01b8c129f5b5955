package templates

import (
	"regexp"
	"strings"
	"testing"
)

// layerCase is the output of one of the packages of layers.
func layerCase(t *testing.T, dir string) string {
	t.Helper()
	for _, c := range layerCases {
		if c.dir == dir {
			return c.builder(t).emit()
		}
	}
	t.Fatalf("no case %s", dir)
	return ""
}

// piece is the declaration that begins with a text, with its doc comment.
func piece(t *testing.T, src, begin string) string {
	t.Helper()
	at := strings.Index(src, "\n"+begin)
	if at < 0 {
		t.Fatalf("no %s", begin)
	}
	end := strings.Index(src[at:], "\n}\n")
	start := strings.LastIndex(src[:at], "\n\n")
	return src[start : at+end]
}

// inOrderIn fails unless all texts are in src, each behind the one before.
func inOrderIn(t *testing.T, src string, texts ...string) {
	t.Helper()
	rest := src
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("%q is missing, or not in its place, in\n%s", text, src)
		}
		rest = after
	}
}

// Layers nest in one order, and their parts are asked for in one order.
func TestLaw_G2_LayersNestInOneOrder(t *testing.T) {
	src := layerCase(t, "l_unique")
	all := piece(t, src, "func (s *IdempotentService) All(")
	inOrderIn(t, all, "// Layers: token", "lock", "transaction [ once", "fire", "unique")
	inOrderIn(t, all, "idem.Token(", "idem.Lock(", "idem.UniqueTx(", ".FindTx(", "idem.OnceTx(", ".status.Finish(", "serviceNext.All(")
	inOrderIn(t, piece(t, src, "func NewIdempotentService("), "next *Service", "*idem.Engine", "idem.RecordStore",
		"idem.TxStore[*sql.Tx]", "idem.TokenStore", "idem.Locker", "idem.Violation", ") *IdempotentService")
	// Without a transaction the look-up's answer is kept by the record.
	inOrderIn(t, piece(t, src, "func (s *IdempotentService) Kept("), "idem.Once(", "idem.Unique(", ".Find2(", "serviceNext.Kept(")
}

// The end of a token or a lock is not that of a caller's transaction.
func TestLaw_T9_NoFormJoinsUnderATokenOrALock(t *testing.T) {
	for dir, methods := range map[string]string{"l_token": "Pay|Given", "l_lock": "One|SameTx|Fenced", "l_unique": "All"} {
		src := layerCase(t, dir)
		if found := regexp.MustCompile(`\) (` + methods + `)Tx\(`).FindString(src); found != "" {
			t.Errorf("%s has %s", dir, found)
		}
	}
	if src := layerCase(t, "l_unique"); !strings.Contains(src, ") CreateTxTx(ctx context.Context, tx *sql.Tx") {
		t.Error("a unique index alone has no form that joins")
	}
}

// A token that a vanished owner left is taken over only where something inside knows
// whether its effect took place: not by a method with nothing but a transaction (X3).
func TestLaw_X3_OnlyWhatKnowsIsTakenOver(t *testing.T) {
	for _, c := range []struct {
		dir, name string
		retake    bool
	}{
		{"l_token", "tokenServiceBare", false}, {"l_token", "tokenServicePay", true}, {"l_token", "tokenServiceLease", true},
		{"l_token", "tokenServiceGiven", false}, {"l_unique", "tokenServiceAll", true},
	} {
		op := piece(t, layerCase(t, c.dir), "var "+c.name+" ")
		if got := regexp.MustCompile(`Retake: +true`).MatchString(op); got != c.retake {
			t.Errorf("%s: retake %v\n%s", c.name, got, op)
		}
	}
}

// A guard that is given no fence gets that of the lock which is held by then: the
// context of the function inside, not the caller's (L2).
func TestLaw_L2_FenceOfTheHeldLock(t *testing.T) {
	inOrderIn(t, piece(t, layerCase(t, "l_lock"), "func (s *IdempotentService) Fenced("),
		"idem.Lock(", "func(ctx context.Context) (idem.None, error)", "idem.Tx(", ".Finish(", "id, idem.LockFence(ctx))")
}

// Of one message seen by two consumers each has its own key (K3), and what surrounds
// the consumer gets an error alone.
func TestLaw_K3_ConsumersAreApart(t *testing.T) {
	src := layerCase(t, "l_message")
	inOrderIn(t, piece(t, src, "func (s *IdempotentConsumer) Handle("), `idem.String("billing"), id)`, "return idem.Message(", "func(ctx context.Context) error {")
	inOrderIn(t, piece(t, src, "func (s *IdempotentConsumer) Fired("), "return idem.MessageTx(", "func(ctx context.Context, tx *sql.Tx) error {", "return nil", "return err", "return s.consumerNext.Fired(")
}

// A token and a lock know the store of a transaction inside that has no record, too: they
// are refused in it, because its end is not theirs (X3, L1).
func TestLaw_X3_TokenAndLockKnowABareTransaction(t *testing.T) {
	inOrderIn(t, piece(t, layerCase(t, "l_token"), "func (s *IdempotentService) Given("), "idem.Presented{", "Tx: s.tx}")
	inOrderIn(t, piece(t, layerCase(t, "l_lock"), "func (s *IdempotentService) One("), "idem.Locked{", "Tx: s.tx}")
}
