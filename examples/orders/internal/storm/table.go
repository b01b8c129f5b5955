package storm

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/idemgen/idemgen/examples/orders/internal/crash"
)

// Write prints the report: what each operation went through, where processes were killed, and the verdict.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	kind := "guarded"
	if r.Unguarded {
		kind = "unguarded"
	}
	fmt.Fprintf(&b, "\nStorm over the %s service: %.1f s, %d processes killed\n\n", kind, r.Elapsed.Seconds(), r.Kills)
	if err := r.writeCalls(&b); err != nil {
		return err
	}
	b.WriteString("\nKills that landed\n\n")
	if err := r.writeKills(&b); err != nil {
		return err
	}
	r.writeVerdict(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) writeCalls(w io.Writer) error {
	t := newTable(w)
	t.row("operation", "intentions", "calls", "effects", "executed", "replayed", "in progress", "refused", "unknown", "no reply")
	sum := Row{Operation: "all"}
	for _, row := range r.Rows {
		t.row(row.cells()...)
		sum.add(row)
	}
	t.row(sum.cells()...)
	return t.Flush()
}

// cells are the row's columns, in the order of the table's head.
func (r *Row) cells() []any {
	return []any{r.Operation, r.Intentions, r.Calls, r.Effects, r.Executed, r.Replayed, r.InProgress, r.Refused, r.Unknown, r.Lost}
}

// add adds the counts of another row.
func (r *Row) add(o Row) {
	r.Intentions += o.Intentions
	r.Calls += o.Calls
	r.Effects += o.Effects
	r.Executed += o.Executed
	r.Replayed += o.Replayed
	r.InProgress += o.InProgress
	r.Refused += o.Refused
	r.Unknown += o.Unknown
	r.Lost += o.Lost
}

func (r *Report) writeKills(w io.Writer) error {
	columns := []struct {
		point crash.Point
		title string
	}{
		{crash.Claimed, "claim | business"},
		{crash.Written, "write | commit"},
		{crash.BankBefore, "before the bank"},
		{crash.BankAfter, "after the bank"},
		{crash.Committed, "commit | reply"},
	}
	t := newTable(w)
	head := []any{"operation"}
	for _, c := range columns {
		head = append(head, c.title)
	}
	t.row(head...)
	for _, row := range r.Rows {
		cells := []any{row.Operation}
		for _, c := range columns {
			if n, has := row.Kills[c.point]; has {
				cells = append(cells, n)
			} else {
				cells = append(cells, "")
			}
		}
		t.row(cells...)
	}
	return t.Flush()
}

func (r *Report) writeVerdict(b *strings.Builder) {
	b.WriteByte('\n')
	for _, f := range r.Faults {
		fmt.Fprintf(b, "FAULT  %s\n", f)
	}
	switch {
	case r.Unguarded && r.OK():
		b.WriteString("The storm found the fault: every operation has more effects than intentions.\n")
	case r.Unguarded:
		b.WriteString("The storm is too weak: it proves nothing about the guarded service.\n")
	case r.OK():
		fmt.Fprintf(b, "No promise was broken: effects equal intentions. %d held keys were reconciled with the bank.\n", r.Reconciled)
	default:
		b.WriteString("A promise was broken.\n")
	}
}

// table aligns numbers to the right and the first column to the left.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer) table {
	return table{tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

func (t table) row(cells ...any) {
	for i, c := range cells {
		s := fmt.Sprint(c)
		if n, ok := c.(int); ok {
			s = strconv.Itoa(n)
		}
		if i == 0 {
			s = fmt.Sprintf("%-10s", s)
		}
		_, _ = fmt.Fprint(t, s, "\t") // a strings.Builder takes everything
	}
	_, _ = fmt.Fprintln(t)
}

// showProgress tells how far the storm is, every two seconds, until stop is called.
func (d *driver) showProgress() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	tick := time.NewTicker(2 * time.Second)
	go func() {
		defer close(done)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				lives, calls, kills := d.tally.progress()
				_, _ = fmt.Fprintf(d.cfg.Progress, "storm: %d of %d orders, %d calls, %d of %d kills\n", lives, len(d.plan.lives), calls, kills, d.plan.deaths())
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
