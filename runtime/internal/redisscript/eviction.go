package redisscript

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Errors of a server that may lose what it acknowledged although it stays up.
var (
	// ErrMayEvict: maxmemory-policy is not noeviction, so that the server may remove
	// records, tokens and locks before their time.
	ErrMayEvict = errors.New("idem: redis: the server may evict what it acknowledged")
	// ErrPolicyUnknown: the server tells its maxmemory-policy neither by INFO nor by
	// CONFIG GET.
	ErrPolicyUnknown = errors.New("idem: redis: the server does not tell whether it evicts")
)

// ErrNumbers: the scripts of the server have no whole numbers of 64 bits.
var ErrNumbers = errors.New("idem: redis: the server's scripts cut numbers off")

// safePolicy is the only policy under which a full server refuses writes instead of
// forgetting.
const safePolicy = "noeviction"

// check asks every primary for its maxmemory-policy, and how its scripts count.
func check(ctx context.Context, client Client) error {
	var found error
	err := client.Primaries(ctx, func(send Send) error {
		if err := checkNumbers(send); err != nil {
			return err
		}
		policy, err := policyOf(send)
		switch {
		case err != nil:
			return err
		case policy != safePolicy:
			found = fmt.Errorf("%w: its maxmemory-policy is %s, want %s", ErrMayEvict, policy, safePolicy)
		}
		return found
	})
	if err != nil && !errors.Is(err, ErrMayEvict) && !errors.Is(err, ErrPolicyUnknown) && !errors.Is(err, ErrNumbers) {
		return fault(ctx, "check the server", err)
	}
	return err
}

// numbers asks how a server writes numbers.
var numbers = load("numbers")

// checkNumbers refuses a server of 32 bits, whose scripts would cut times off. It is no
// matter of a warning.
func checkNumbers(send Send) error {
	answer, err := send("EVAL", numbers.Text, "0")
	if err != nil {
		return err
	}
	if len(answer) != 1 || answer[0] != "9007199254740991" {
		return fmt.Errorf("%w: %q", ErrNumbers, answer)
	}
	return nil
}

// policyOf asks one primary. INFO is allowed in more places than CONFIG.
func policyOf(send Send) (string, error) {
	info, infoErr := send("INFO", "memory")
	if infoErr == nil && len(info) > 0 {
		for line := range strings.Lines(info[0]) {
			if policy, ok := strings.CutPrefix(strings.TrimSpace(line), "maxmemory_policy:"); ok && policy != "" {
				return policy, nil
			}
		}
	}
	config, configErr := send("CONFIG", "GET", "maxmemory-policy")
	if configErr == nil && len(config) == 2 {
		return config[1], nil
	}
	for _, err := range []error{infoErr, configErr} {
		var reply *ReplyError
		if err != nil && (!errors.As(err, &reply) || isOutage(reply.Error())) {
			return "", err
		}
	}
	return "", fmt.Errorf("%w: %w", ErrPolicyUnknown, errors.Join(infoErr, configErr))
}
