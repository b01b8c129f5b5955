package bank

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"sync"
)

// Ledger counts the notifications a bank got per order. It writes each to a file before it counts, so that what the bank was told outlives the service, and the bank itself. Safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	file    *os.File
	calls   map[string]int
	running map[string]int
	overlap int
}

// OpenLedger reads the ledger in a file, making it where there is none. The caller closes it.
func OpenLedger(path string) (*Ledger, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("bank: open ledger: %w", err)
	}
	l := &Ledger{file: f, calls: map[string]int{}, running: map[string]int{}}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		l.calls[lines.Text()]++
	}
	if err := lines.Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("bank: read ledger: %w", err), f.Close())
	}
	return l, nil
}

// Begin books one notification. done must be called when its work is over: what begins in between, for the same order, overlaps.
func (l *Ledger) Begin(orderID string) (done func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := fmt.Fprintln(l.file, orderID); err != nil {
		return nil, fmt.Errorf("bank: book: %w", err)
	}
	l.calls[orderID]++
	if l.running[orderID]++; l.running[orderID] > 1 {
		l.overlap++
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.running[orderID]--; l.running[orderID] == 0 {
			delete(l.running, orderID)
		}
	}, nil
}

// Calls tells how often the bank was told of an order.
func (l *Ledger) Calls(orderID string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[orderID]
}

// Report is what the bank knows of everyone: calls per order, and how many of them began while another for the same order was running.
type Report struct {
	Calls   map[string]int `json:"calls"`
	Overlap int            `json:"overlap"`
}

// Report returns a copy of all counts.
func (l *Ledger) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := Report{Calls: make(map[string]int, len(l.calls)), Overlap: l.overlap}
	for id, n := range l.calls {
		r.Calls[id] = n
	}
	return r
}

// Close closes the file.
func (l *Ledger) Close() error { return l.file.Close() }
