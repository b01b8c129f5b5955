package shop

import (
	"context"
	"testing"
)

// Tests call what they test.
func TestPay(t *testing.T) {
	s := &Service{}
	if err := s.Pay(context.Background(), "1"); err != nil {
		t.Error(err)
	}
}
