// Package storm attacks the wallet: several processes send the same calls at once, and are killed in the middle of them. What counts in the end is what the database holds.
//
// The flow of Run: make the accounts; start the processes, each of which works through the whole plan in an order of its own (Work), so that every call comes as often as there are processes, and more often where one is killed and
// its successor starts from the beginning; kill some at random moments; wait for the others; then compare accounts, versions and journal with the plan (inspect).
package storm

import (
	"fmt"
	"math/rand/v2"

	"github.com/idemgen/idemgen/examples/wallet/account"
	"github.com/idemgen/idemgen/examples/wallet/service"
)

// Sizes of the plan.
const (
	accounts    = 6
	transfers   = 150
	withdrawals = 60
	rich        = 1_000_000 // cents on each account that transfers move between: never too little
	poor        = 403       // cents over its floor on the account that withdrawals empty
	withdrawal  = 10        // cents each: 40 fit, with 3 cents left
	credit      = 500       // cents that the poor account may fall below zero
)

// poorID is the account that withdrawals empty.
const poorID = "poor"

// plan is what shall happen once. It is the same in every process that has the seed.
type plan struct {
	accounts    []account.Account
	transfers   []*service.Transfer
	withdrawals []*service.Withdrawal
}

func newPlan(seed uint64) *plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &plan{}
	for i := range accounts {
		p.accounts = append(p.accounts, account.Account{ID: fmt.Sprintf("a-%d", i), Holder: "holder", Balance: rich})
	}
	p.accounts = append(p.accounts, account.Account{ID: poorID, Holder: "holder", Balance: poor - credit, Floor: -credit})
	for i := range transfers {
		from := r.IntN(accounts)
		to := (from + 1 + r.IntN(accounts-1)) % accounts
		p.transfers = append(p.transfers, &service.Transfer{
			ID: fmt.Sprintf("t-%d", i), From: p.accounts[from].ID, To: p.accounts[to].ID, Amount: 1 + r.Int64N(200),
		})
	}
	for i := range withdrawals {
		p.withdrawals = append(p.withdrawals, &service.Withdrawal{ID: fmt.Sprintf("w-%d", i), Account: poorID, Amount: withdrawal})
	}
	return p
}

// fitting is how many withdrawals leave the floor.
func fitting() int { return poor / withdrawal }
