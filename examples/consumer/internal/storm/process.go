package storm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// errKilled is how a process ends that was to be killed.
var errKilled = errors.New("killed")

// runProcess runs one process until stop is closed, or kills it a random moment after it began to work.
func runProcess(ctx context.Context, cfg Config, kill bool, stop <-chan struct{}) error {
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
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != Ready+"\n" {
		return errors.Join(fmt.Errorf("storm: process said %q", line), err, cmd.Process.Kill(), cmd.Wait())
	}
	if kill {
		time.Sleep(time.Duration(5+rand.IntN(100)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			return errors.Join(fmt.Errorf("storm: kill: %w", err), cmd.Wait())
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() >= 0 {
			return fmt.Errorf("storm: process ended before it was killed: %w", err)
		}
		return errKilled
	}
	waited := make(chan error, 1)
	go func() { waited <- cmd.Wait() }()
	select {
	case err = <-waited:
	case <-stop:
		err = errors.Join(cmd.Process.Signal(syscall.SIGTERM), <-waited)
	}
	if err != nil {
		return fmt.Errorf("storm: process: %w", err)
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
