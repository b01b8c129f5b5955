package transactions

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Kind are the histories of stores in transaction mode.
func Kind() *difftest.Kind[Store, Step, State] {
	return &difftest.Kind[Store, Step, State]{
		Name: "transactions", Make: makeHistory, Simpler: simpler, Traits: traits, Next: Next, Open: Open,
	}
}

// Open begins a play on new keys.
func Open(store Store) difftest.Player[Step] {
	return &player{store, difftest.NewCast()}
}

// player plays steps on a store.
type player struct {
	store Store
	*difftest.Cast
}

// errBody is what a body returns that is to fail.
var errBody = errors.New("the body failed")

// attempts is how often a transaction is begun that the database asks to begin again.
const attempts = 20

// Play plays one step.
func (p *player) Play(ctx context.Context, s Step) difftest.Answer {
	var told string
	var err error
	for range attempts { // beginning again is the core's part (T3)
		if told, err = p.once(ctx, s); !errors.Is(err, idem.ErrRetryTransaction) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		told = difftest.NameError(err)
	}
	return difftest.Answer{Told: told}
}

// once makes one attempt.
func (p *player) once(ctx context.Context, s Step) (string, error) {
	c := s.Calls[0]
	switch s.Do {
	case InTx:
		return p.call(c, func(body Body) (idem.Found, error) { return p.store.InTx(ctx, p.claim(c), body) })
	case Outer:
		return p.outer(ctx, s)
	case Keep:
		f, err := p.store.Keep(ctx, p.claim(c), outcome(c.Outcome))
		return p.found(f, false, err)
	case Lookup:
		f, err := p.store.Lookup(ctx, p.Key(c.Key))
		return p.found(f, false, err)
	case Effects:
		n, err := p.store.Effects(ctx, p.Key(c.Key))
		return effectsWord(n), err
	}
	return "", errors.ErrUnsupported
}

// claim is what a call asks.
func (p *player) claim(c Call) idem.Claim {
	keep := difftest.Long
	if c.Short {
		keep = difftest.Short
	}
	return idem.Claim{Key: p.Key(c.Key), Owner: p.Owner(c.Owner), Fingerprint: difftest.Print(c.Print), Retention: keep}
}

// call makes a guarded call whose body has an effect and ends as the call says.
func (p *player) call(c Call, guarded func(Body) (idem.Found, error)) (told string, err error) {
	defer func() {
		if v := recover(); v != nil {
			if v != any(errBody) {
				panic(v)
			}
			told, err = failed(Panic), nil
		}
	}()
	ran := false
	f, err := guarded(func(ctx context.Context, effect func(context.Context, idem.Key) error) (idem.Outcome, error) {
		ran = true
		if err := effect(ctx, p.Key(c.Key)); err != nil {
			return idem.Outcome{}, err
		}
		switch c.End {
		case Panic:
			panic(errBody)
		case Fail:
			return idem.Outcome{}, errBody
		}
		return outcome(c.Outcome), nil
	})
	if errors.Is(err, errBody) {
		return failed(Fail), nil
	}
	return p.found(f, ran, err)
}

// outer joins calls in one transaction.
func (p *player) outer(ctx context.Context, s Step) (string, error) {
	var calls []string
	var inner error
	err := p.store.Outer(ctx, func(join func(idem.Claim, Body) (idem.Found, error)) error {
		calls = nil
		for _, c := range s.Calls[:s.Count] {
			told, err := p.call(c, func(body Body) (idem.Found, error) { return join(p.claim(c), body) })
			if inner = err; err != nil {
				return err
			}
			calls = append(calls, told)
		}
		if s.End != Commit {
			return errBody
		}
		return nil
	})
	if errors.Is(err, errBody) && inner == nil {
		return outerWords(calls, Fail), nil
	}
	return outerWords(calls, Commit), err
}

// found are the words of what stands under a key.
func (p *player) found(f idem.Found, ran bool, err error) (string, error) {
	r := &f.Record
	switch {
	case err != nil:
		return "", err
	case f.Status == idem.Fresh:
		return freshWord(p.NameOwner(r.Owner), ran), nil
	case f.Status == idem.Done && !ran:
		return doneWord(p.NameOwner(r.Owner), difftest.NamePrint(r.Fingerprint), &r.Outcome), nil
	case ran:
		return f.Status.String() + " although the body ran", nil
	}
	return f.Status.String(), nil
}
