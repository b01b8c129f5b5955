package sqlstoretest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/cost"

	"github.com/idemgen/idemgen/runtime/idem"
)

// The statements that each operation on tokens costs. Postgres tells in one
// statement what another owner has; the others read it in a second one, because
// their UPDATE answers with nothing but what it changed, or (MySQL) one number.
func TestLaw_X1_StatementsPerTokenOperation(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, w := d.wired(t)
		s := f.tokens()
		consumed, told := []string{"UPDATE"}, []string{"UPDATE", "SELECT"}
		if d.dialect == idem.Postgres {
			consumed, told = []string{"WITH"}, []string{"WITH"}
		}
		prune := []string{"DELETE"}
		if d.dialect == idem.MySQL {
			prune = []string{"BEGIN", "DELETE", "COMMIT"}
		}
		var ids []idem.TokenID
		var holds []idem.TokenHold
		works := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		f.sends(w, cost.Issue, func() { ids = issue(t, s, 1) }, "INSERT")
		f.sends(w, "issue 500", func() { ids = append(ids, issue(t, s, 500)...) }, "INSERT")
		f.sends(w, "issue 501", func() { ids = append(ids, issue(t, s, 501)...) }, "INSERT", "INSERT")
		for i, id := range []idem.TokenID{ids[0], ids[1], ids[500], ids[501], ids[1001]} {
			f.sends(w, cost.Consume, func() { holds = append(holds, consume(t, s, consumption(id), idem.TokenConsumed)) }, consumed...)
			f.sends(w, cost.ConsumeRefused, func() { consume(t, s, consumption(id), idem.TokenRunning) }, told...)
			if i == 0 {
				again := consumption(id)
				again.Owner = holds[0].Owner
				f.sends(w, "consume again", func() { consume(t, s, again, idem.TokenConsumed) }, told...)
			}
		}
		f.sends(w, "consume what is unknown", func() { consume(t, s, consumption(idem.HashToken("?")), idem.TokenUnknown) }, told...)
		f.sends(w, cost.Restore, func() { works(s.Restore(ctx, holds[0])) }, "UPDATE")
		f.sends(w, cost.Finish, func() { works(s.Finish(ctx, holds[1])) }, "UPDATE")
		f.sends(w, cost.Burn, func() { works(s.Burn(ctx, holds[2])) }, "UPDATE")
		f.sends(w, "consume what is finished", func() { consume(t, s, consumption(holds[1].Token), idem.TokenFinished) }, told...)
		f.sends(w, "prune", func() { _, err := s.Prune(ctx, 10); works(err) }, prune...)
		w.reset()
		works(s.Issue(ctx, idem.TokenGrant{TTL: time.Minute}))
		if sent, _ := w.verbs(); len(sent) != 0 {
			t.Errorf("issuing nothing sends %v", sent)
		}
	})
}

// A token is issued once however often it stands in a grant, and of many at once
// each is the presenter's.
func TestLaw_X1_IssueMany(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		ctx := context.Background()
		f := d.fixture(t)
		s := f.tokens()
		ids := issue(t, s, 1200)
		g := idem.TokenGrant{Tokens: slices.Concat(ids[:2], ids[:2], []idem.TokenID{{}, {}, {31: 1}, {0: 0xff}}), TTL: time.Minute, Keep: idem.Never}
		if err := s.Issue(ctx, g); err != nil {
			t.Fatal(err)
		}
		if n := f.count("SELECT COUNT(*) FROM idem_tokens"); n != 1203 {
			t.Errorf("%d tokens", n)
		}
		for _, id := range slices.Concat(ids[:3], ids[498:502], ids[1198:], g.Tokens[5:]) {
			if err := s.Finish(ctx, consume(t, s, consumption(id), idem.TokenConsumed)); err != nil {
				t.Error(err)
			}
		}
	})
}

// What goes over the wire: issue and consume take one round trip each.
func TestLaw_X1_RoundTripsOfTokens(t *testing.T) {
	on(t, everyServer, func(t *testing.T, d *database) {
		ctx := context.Background()
		f, p := d.behind(t)
		f.db.SetMaxOpenConns(1)
		s := f.tokens()
		trips := func(run func()) int {
			p.Reset()
			run()
			return p.Total().RoundTrips
		}
		var h idem.TokenHold
		var ids []idem.TokenID
		for i, step := range []struct {
			name string
			run  func()
			want int
		}{
			{"issue", func() { ids = issue(t, s, 1) }, 1},
			{"consume", func() { h = consume(t, s, consumption(ids[0]), idem.TokenConsumed) }, 1},
			{"restore", func() { s.Restore(ctx, h) }, 1},
			{"issue 100", func() { ids = issue(t, s, 100) }, 1},
			{"consume one of them", func() { h = consume(t, s, consumption(ids[99]), idem.TokenConsumed) }, 1},
			{"finish", func() { s.Finish(ctx, h) }, 1},
		} {
			step.run() // the statements are prepared once
			if step.name == "consume" || step.name == "consume one of them" {
				if err := s.Restore(ctx, h); err != nil {
					t.Error(err)
				}
			}
			if n := trips(step.run); n != step.want {
				t.Errorf("%d: %s takes %d round trips, want %d", i, step.name, n, step.want)
			}
		}
	})
}
