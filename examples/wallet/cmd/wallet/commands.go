package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/idemgen/idemgen/examples/wallet/internal/storm"
	"github.com/idemgen/idemgen/examples/wallet/query"
	"github.com/idemgen/idemgen/examples/wallet/service"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// session is one run of a command on its database.
type session struct {
	*options
	db             *sql.DB
	dialect        idem.Dialect
	stdout, stderr io.Writer
	temp           string // folder that close removes
}

// newSession opens the database; a storm without one gets a file of its own.
func newSession(o *options, command string, stdout, stderr io.Writer) (*session, error) {
	s := &session{options: o, stdout: stdout, stderr: stderr}
	if len(o.source.Args()) == 0 && command == "storm" {
		dir, err := os.MkdirTemp("", "wallet-storm-")
		if err != nil {
			return nil, err
		}
		s.temp, o.source.SQLite = dir, filepath.Join(dir, "wallet.db")
	}
	var err error
	if s.db, s.dialect, err = o.source.Open(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *session) close() error {
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	if s.temp != "" {
		err = errors.Join(err, os.RemoveAll(s.temp))
	}
	return err
}

// bank makes the tables where they are missing, and the bank over them.
func (s *session) bank(ctx context.Context) (*service.Bank, error) {
	store := sqlstore.New(s.db, s.dialect)
	if err := errors.Join(query.Migrate(ctx, s.dialect, s.db), store.Migrate(ctx)); err != nil {
		return nil, err
	}
	return service.NewBank(idem.New(idem.GlobalScope), store), nil
}

func cents(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of cents", text)
	}
	return n, nil
}

func open(ctx context.Context, s *session, args []string) error {
	balance, err := cents(args[2])
	if err != nil {
		return err
	}
	floor := int64(0)
	if len(args) > 3 {
		if floor, err = cents(args[3]); err != nil {
			return err
		}
	}
	if _, err := s.bank(ctx); err != nil {
		return err
	}
	return query.On(s.dialect, s.db).OpenAccount(ctx, args[0], args[1], balance, floor)
}

func transfer(ctx context.Context, s *session, args []string) error {
	amount, err := cents(args[3])
	if err != nil {
		return err
	}
	b, err := s.bank(ctx)
	if err != nil {
		return err
	}
	return s.receipt(b.Transfer(ctx, &service.Transfer{ID: args[0], From: args[1], To: args[2], Amount: amount}))
}

func withdraw(ctx context.Context, s *session, args []string) error {
	amount, err := cents(args[2])
	if err != nil {
		return err
	}
	b, err := s.bank(ctx)
	if err != nil {
		return err
	}
	return s.receipt(b.Withdraw(ctx, &service.Withdrawal{ID: args[0], Account: args[1], Amount: amount}))
}

func (s *session) receipt(r *service.Receipt, err error) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "%s: %d cents left, version %d\n", r.ID, r.Balance, r.Version)
	return err
}

func accounts(ctx context.Context, s *session, _ []string) error {
	if _, err := s.bank(ctx); err != nil {
		return err
	}
	list, err := query.On(s.dialect, s.db).ListAccounts(ctx)
	for _, a := range list {
		if _, err := fmt.Fprintf(s.stdout, "%-12s %-20s %10d  floor %d, version %d\n", a.ID, a.Holder, a.Balance, a.Floor, a.Version); err != nil {
			return err
		}
	}
	return err
}

// work is one process of the storm.
func work(ctx context.Context, s *session, _ []string) error {
	if _, err := fmt.Fprintln(s.stdout, storm.Ready); err != nil {
		return err
	}
	return storm.Work(ctx, s.db, s.dialect, s.seed, s.unguarded)
}

func runStorm(ctx context.Context, s *session, _ []string) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	args := append([]string{binary}, s.source.Args()...)
	args = append(args, "-seed", strconv.FormatUint(s.seed, 10), "-unguarded="+strconv.FormatBool(s.unguarded), "work")
	r, err := storm.Run(ctx, s.db, s.dialect, storm.Config{
		Command: args, Seed: s.seed, Processes: s.processes, Kills: s.kills, Unguarded: s.unguarded, Stderr: s.stderr,
	})
	if err != nil {
		return err
	}
	if err := r.Print(s.stdout); err != nil {
		return err
	}
	if !r.OK() {
		return errFailed
	}
	return nil
}
