package order

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// edges returns the arrows of the state diagram in the README, as state and event to state; the arrows of the beginning and the ends have no event.
func edges(t *testing.T) (drawn map[[2]string]string, initial string, final []string) {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn = map[[2]string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ {4}(\S+) --> (\S+)(?: : (\S+))?$`).FindAllStringSubmatch(string(text), -1) {
		switch {
		case m[1] == "[*]":
			initial = m[2]
		case m[2] == "[*]":
			final = append(final, m[1])
		default:
			drawn[[2]string{m[1], m[3]}] = m[2]
		}
	}
	if len(drawn) == 0 {
		t.Fatal("the README draws no state diagram")
	}
	return drawn, initial, final
}

// states are the Go names of all states.
func states() map[string]Status {
	return map[string]Status{
		"Created": Created, "Paid": Paid, "Shipped": Shipped, "Completed": Completed, "Refunding": Refunding, "Refunded": Refunded,
	}
}

// events are the Go names of all events.
func events() []StatusEvent {
	return []StatusEvent{StatusPay, StatusShip, StatusSign, StatusRefund, StatusSettle}
}

func TestTableEqualsDrawnGraph(t *testing.T) {
	drawn, initial, final := edges(t)
	if initial != "Created" {
		t.Errorf("the drawn graph begins with %s", initial)
	}
	names := states()
	for name, s := range names {
		if want := slices.Contains(final, name); s.Final() != want {
			t.Errorf("%s: final %v, drawn %v", name, s.Final(), want)
		}
		targets := map[Status]bool{}
		for _, e := range events() {
			want, legal := drawn[[2]string{name, e.String()}]
			delete(drawn, [2]string{name, e.String()})
			next, ok := s.Next(e)
			if ok != legal || s.Can(e) != legal || (legal && next != names[want]) {
				t.Errorf("%s, %s: next %q %v, can %v; drawn %q", name, e, next, ok, s.Can(e), want)
			}
			if legal {
				targets[names[want]] = true
			}
		}
		for _, to := range names {
			if s.CanTransition(to) != targets[to] {
				t.Errorf("%s to %s: %v, drawn %v", s, to, s.CanTransition(to), targets[to])
			}
		}
	}
	for edge, to := range maps.All(drawn) {
		t.Errorf("drawn, but no edge of the machine: %v to %s", edge, to)
	}
}
