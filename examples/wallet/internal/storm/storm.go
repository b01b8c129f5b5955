package storm

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"sync"
	"time"

	"github.com/idemgen/idemgen/examples/wallet/query"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Config says how hard the storm blows.
type Config struct {
	// Command starts a process that prints Ready once it can work, works through the plan of the seed (Work) and exits with 0.
	Command   []string
	Seed      uint64
	Processes int // at a time
	Kills     int // processes that are killed in the middle of their work
	Unguarded bool
	Stderr    io.Writer // of all processes
}

// Ready is what a process prints when it begins to work.
const Ready = "ready"

// Run makes a storm on a database that holds no accounts yet.
func Run(ctx context.Context, db *sql.DB, d idem.Dialect, cfg Config) (*Report, error) {
	began := time.Now()
	cfg.Stderr = &oneAtATime{w: cfg.Stderr}
	p := newPlan(cfg.Seed)
	if err := prepare(ctx, db, d, p); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // kills what still runs
	ended := make(chan error)
	running := 0
	start := func(kill bool) {
		running++
		go func() { ended <- runProcess(ctx, cfg, kill) }()
	}
	kills, landed := cfg.Kills, 0
	for range cfg.Processes {
		start(kills > 0)
		kills--
	}
	var failed error
	for running > 0 {
		err := <-ended
		running--
		switch {
		case errors.Is(err, errKilled):
			landed++
			start(landed+running < cfg.Kills) // its successor may have to die as well
		case errors.Is(err, errOutlived):
			start(true)
		case err != nil && failed == nil:
			failed = err
			cancel()
		}
	}
	if failed != nil {
		return nil, failed
	}
	return inspect(context.WithoutCancel(ctx), db, d, p, cfg, landed, time.Since(began))
}

// prepare makes tables and accounts.
func prepare(ctx context.Context, db *sql.DB, d idem.Dialect, p *plan) error {
	if err := query.Migrate(ctx, d, db); err != nil {
		return err
	}
	if err := sqlstore.New(db, d).Migrate(ctx); err != nil {
		return err
	}
	for _, a := range p.accounts {
		if err := query.On(d, db).OpenAccount(ctx, a.ID, a.Holder, a.Balance, a.Floor); err != nil {
			return fmt.Errorf("storm: open account: %w", err)
		}
	}
	return nil
}

// oneAtATime is a writer that all processes share.
type oneAtATime struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *oneAtATime) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(b)
}

// How a process ends that was to be killed.
var (
	errKilled   = errors.New("killed")
	errOutlived = errors.New("it was done before it could be killed")
)

// runProcess runs one process to its end, or kills it a random moment after it began to work.
func runProcess(ctx context.Context, cfg Config, kill bool) error {
	cmd := exec.CommandContext(ctx, cfg.Command[0], cfg.Command[1:]...)
	cmd.Stderr = cfg.Stderr
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("storm: start: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("storm: start: %w", err)
	}
	line, readErr := bufio.NewReader(out).ReadString('\n')
	if kill && readErr == nil {
		time.Sleep(time.Duration(5+rand.IntN(120)) * time.Millisecond)
		killErr := cmd.Process.Kill()
		switch err := cmd.Wait(); {
		case killErr == nil && err != nil && cmd.ProcessState.ExitCode() < 0:
			return errKilled
		case err == nil:
			return errOutlived
		default:
			return fmt.Errorf("storm: process: %w", err)
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("storm: process: %w", err)
	}
	if line != Ready+"\n" {
		return fmt.Errorf("storm: process said %q", line)
	}
	return nil
}
