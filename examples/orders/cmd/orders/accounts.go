package main

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/examples/orders/order"
)

// accountList is the flag -account owner=cents: first balances by owner.
type accountList map[string]int64

// String returns the accounts as they are written on the command line.
func (a accountList) String() string {
	var s []string
	for _, owner := range slices.Sorted(maps.Keys(a)) {
		s = append(s, fmt.Sprintf("%s=%d", owner, a[owner]))
	}
	return strings.Join(s, ",")
}

// Set adds one account.
func (a accountList) Set(value string) error {
	owner, cents, ok := strings.Cut(value, "=")
	balance, err := strconv.ParseInt(cents, 10, 64)
	if !ok || owner == "" || err != nil || balance < 0 {
		return fmt.Errorf("want owner=cents, got %q", value)
	}
	a[owner] = balance
	return nil
}

// open opens the accounts that are not open yet.
func (a accountList) open(ctx context.Context, db *sql.DB) error {
	var repo order.Repository
	for _, owner := range slices.Sorted(maps.Keys(a)) {
		if err := repo.OpenAccount(ctx, db, owner, a[owner]); err != nil {
			return err
		}
	}
	return nil
}
