package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"
)

// Profile tells where the processor time of this process goes while one contestant works
// for about so long: see Functions.
func (r Race) Profile(ctx context.Context, contestant string, callers int, during time.Duration) (text string, err error) {
	for _, k := range r.Contestants {
		if k.Name != contestant {
			continue
		}
		dir, err := os.MkdirTemp("", "idemgen-bench-")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, "cpu")
		if err := profileOf(ctx, k, callers, during, file); err != nil {
			return "", fmt.Errorf("%s: %s: %w", r.ID(), contestant, err)
		}
		return Functions(ctx, file)
	}
	return "", fmt.Errorf("%s has no contestant %q", r.ID(), contestant)
}

func profileOf(ctx context.Context, k Contestant, callers int, during time.Duration, file string) (err error) {
	x, err := start(ctx, k, during, callers)
	if x != nil && x.Close != nil {
		defer x.Close()
	}
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	_, err = x.burst(ctx, x.batch, callers)
	pprof.StopCPUProfile()
	return err
}
