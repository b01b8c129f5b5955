package handler

import (
	"testing"

	"github.com/idemgen/idemgen/examples/consumer/payment"
	"github.com/idemgen/idemgen/runtime/idem"
)

// A mark lives longer than any copy of its message: as long as the broker may deliver it, and as long again among the dead letters, from where somebody may publish it anew.
func TestMarksOutliveMessages(t *testing.T) {
	for _, op := range []idem.Op{opHandlerBook, opHandlerReward, opHandlerSend} {
		if op.TTL != idem.Never && op.TTL < 2*payment.Retention {
			t.Errorf("%s forgets after %v, its messages may come for %v", op.Name, op.TTL, 2*payment.Retention)
		}
	}
}
