// Package account is the domain of the wallet: accounts, and the updates that their version guards.
//
// The annotation below is all there is to the writing side: AccountGuard, generated into idem_gen.go, has one function per update. Each takes the version that the caller has read and writes only where the row still has it, so that of two
// callers who read one balance one writes and the other is told; neither takes money that is not there.
package account

//go:generate go tool idemgen

// Account is one account. Amounts are in cents. Balance never falls below Floor, which is negative where the holder has a credit line.
//
//idem:version table=accounts key=id column=version
//idem:update Deduct set="balance = balance - :amount" where="balance - :amount >= floor"
//idem:update Credit set="balance = balance + :amount"
//idem:update Save set=holder,floor where="balance >= :lowest"
type Account struct {
	ID      string `db:"id"`
	Holder  string `db:"holder"`
	Balance int64  `db:"balance"`
	Floor   int64  `db:"floor"`
	Version int64  `db:"version"` // counted up by every update
}
