package storm

import (
	"context"
	"fmt"
	"time"
)

const (
	// agony is how long a process stands at its point before it is killed, in the middle of all the duplicates.
	agony = 20 * time.Millisecond
	// ambushes bounds how often a call that is meant to die is sent before it reaches its point; one whose connection belonged to the server that died before needs a second.
	ambushes = 20
)

// execute sends the call that is meant to die to one server, and while the process stands at that call's point lets the duplicates loose and kills it with SIGKILL.
func (d *driver) execute(ctx context.Context, in *intention, duplicates func()) error {
	d.gallows.Lock()
	defer d.gallows.Unlock()
	s := d.anyServer()
	armed := in.call
	armed.dies = in.death
	for range ambushes {
		points := s.points()
		over := make(chan response, 1)
		go func() { over <- d.try(ctx, s, in, armed) }()
		select {
		case p := <-points:
			if p != in.death {
				return fmt.Errorf("storm: %s was to die at %s, the process reports %q", armed.act.name, in.death, p)
			}
			duplicates()
			pause(ctx, agony)
			if err := s.restart(); err != nil {
				return err
			}
			d.tally.killed(armed.act.name, in.death)
			<-over
			return nil
		case r := <-over:
			if r.answer != lost && r.answer != unavailable && r.answer != inProgress {
				d.tally.fault("%s of %s was to die at %s and lived: %s %s", armed.act.name, in.bizNo, in.death, r.answer, r.detail)
				return nil
			}
		}
		pause(ctx, agony)
	}
	return fmt.Errorf("storm: %s never reached %s", armed.act.name, in.death)
}
