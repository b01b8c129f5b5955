package tokens

import (
	"context"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Kind are the histories of token stores.
func Kind() *difftest.Kind[idem.TokenStore, Step, State] {
	return &difftest.Kind[idem.TokenStore, Step, State]{
		Name: "tokens", Make: makeHistory, Race: race, Simpler: simpler, Traits: traits, Next: Next, Open: Open,
	}
}

// Open begins a play on new tokens.
func Open(store idem.TokenStore) difftest.Player[Step] {
	p := &player{store: store, Cast: difftest.NewCast()}
	for i := range p.tokens {
		p.tokens[i] = idem.NewToken().ID()
	}
	return p
}

// player plays steps on a store.
type player struct {
	store  idem.TokenStore
	tokens [difftest.Keys]idem.TokenID
	*difftest.Cast
}

func lasts(brief bool) time.Duration {
	if brief {
		return difftest.Short
	}
	return difftest.Long
}

func (k Keep) time() time.Duration {
	if k == Never {
		return idem.Never
	}
	return lasts(k == Short)
}

// Play plays one step.
func (p *player) Play(ctx context.Context, s Step) difftest.Answer {
	hold := idem.TokenHold{Token: p.tokens[s.Token], Owner: p.Owner(s.Owner), Fence: p.Fence(s.Token, s.Owner) + s.Off}
	if s.AnyFence {
		hold.Fence = 0
	}
	var err error
	switch s.Do {
	case Issue:
		err = p.store.Issue(ctx, idem.TokenGrant{
			Tokens: []idem.TokenID{hold.Token}, Binding: idem.Binding{0: byte(s.Binding)}, TTL: lasts(s.Brief), Keep: s.Keep.time(),
		})
	case Consume:
		f, err := p.store.Consume(ctx, idem.Consumption{
			Token: hold.Token, Binding: idem.Binding{0: byte(s.Binding)}, Owner: hold.Owner, Lease: lasts(s.Brief),
			Key: p.Key(s.Key), Fingerprint: difftest.Print(s.Print), Retake: s.Retake, Keep: s.Keep.time(),
		})
		if err == nil && f.Status == idem.TokenConsumed {
			p.Told(s.Token, s.Owner, f.Fence)
		}
		return p.found(f, err)
	case Finish:
		err = p.store.Finish(ctx, hold)
	case Restore:
		err = p.store.Restore(ctx, hold)
	case Burn:
		err = p.store.Burn(ctx, hold)
	}
	return difftest.Answer{Told: difftest.NameError(err)}
}

// found are the words of what stands behind a token.
func (p *player) found(f idem.TokenFound, err error) difftest.Answer {
	if err != nil {
		return difftest.Answer{Told: difftest.NameError(err)}
	}
	if f.Owner == (idem.Owner{}) && f.KeyHash == ([32]byte{}) && f.Fence == 0 && f.LeaseLeft == 0 {
		return difftest.Answer{Told: f.Status.String()}
	}
	key := "another"
	for i := range difftest.Keys {
		if p.Key(i).Hash == f.KeyHash {
			key = fmt.Sprint(i)
		}
	}
	text := told(f.Status, p.NameOwner(f.Owner), key, difftest.NamePrint(f.Fingerprint))
	switch {
	case f.LeaseLeft < 0 || f.LeaseLeft > difftest.Long+difftest.Slack:
		text += " lease left " + f.LeaseLeft.String()
	case f.LeaseLeft > 0:
		text += leased
	}
	return difftest.Answer{Told: text, Fence: f.Fence}
}
