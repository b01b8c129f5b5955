package records

import (
	"fmt"

	"github.com/idemgen/idemgen/internal/difftest"
	"github.com/idemgen/idemgen/runtime/idem"
)

// State is what the model knows of the keys of a play.
type State [difftest.Keys]Record

// Record is what the model knows of one key.
type Record struct {
	There   bool
	Done    bool
	Owner   int
	Print   int
	Orphan  idem.Orphan
	Fence   int64
	AtLeast bool // the fence is larger than Fence, and was not told yet
	Outcome int
	Lease   Life // of a running record
	Keep    Life // of a completed record; of a running one how long after its lease
}

// Life is how long something lasts.
type Life uint8

// Lives. A brief one is over after a pause.
const (
	Lasting Life = iota
	Brief
	Over
)

// forgettable is a record that counts as absent, whether it still lies there or not.
func (r *Record) forgettable() bool {
	if r.Done {
		return r.Keep == Over
	}
	return r.Keep == Over && r.Lease == Over && r.Orphan != idem.OrphanHold
}

// Next is the model of idem.RecordStore.
func Next(s State, step Step) []difftest.Branch[State] {
	switch step.Do {
	case Pause:
		for i := range s {
			s[i].pause()
		}
		return branches(difftest.Leads("", s))
	case Prune: // what it deletes counts as absent already
		return branches(difftest.Leads(difftest.OK, s))
	}
	var out []difftest.Branch[State]
	for _, b := range s[step.Key].next(step) {
		out = append(out, difftest.Branch[State]{
			Told: b.Told, Fenced: b.Fenced, Fence: b.Fence,
			Then: func(fence int64) State {
				after := s
				after[step.Key] = b.Then(fence)
				return after
			},
		})
	}
	return out
}

func branches[T any](b ...difftest.Branch[T]) []difftest.Branch[T] { return b }

// pause lets brief lives end. A retention that begins with the end of a lease ends
// only if that does.
func (r *Record) pause() {
	if r.Lease == Brief {
		r.Lease = Over
	}
	if r.Keep == Brief && (r.Done || r.Lease == Over) {
		r.Keep = Over
	}
}

// next is what may happen to one record.
func (r Record) next(s Step) []difftest.Branch[Record] {
	if !r.There {
		return r.absent(s)
	}
	if !r.forgettable() {
		return r.standing(s)
	}
	gone := Record{}
	switch s.Do {
	case Claim, Look, Lookup:
		return r.absent(s) // it counts as absent even if it lies there
	}
	return append(r.standing(s), gone.absent(s)...)
}

// absent is what may happen where no record is.
func (r Record) absent(s Step) []difftest.Branch[Record] {
	switch s.Do {
	case Claim:
		return branches(claimed(s, 0))
	case Look, Lookup:
		return branches(difftest.Leads(idem.Absent.String(), r))
	case Release: // it is gone already (C16)
		return branches(difftest.Leads(difftest.OK, Record{}))
	case Resolve:
		return branches(difftest.Leads(difftest.NotHeld, Record{}))
	}
	return branches(difftest.Leads(difftest.Lost, Record{}))
}

// claimed is a fresh claim, with a fence above the one before.
func claimed(s Step, above int64) difftest.Branch[Record] {
	return difftest.Branch[Record]{
		Told: fresh(s.Owner), Fenced: true, Fence: difftest.Fence{Above: above},
		Then: func(fence int64) Record {
			r := Record{There: true, Owner: s.Owner, Print: s.Print, Orphan: s.Orphan, Fence: fence}
			if s.ShortLease {
				r.Lease = Brief
			}
			r.keep(s.Keep)
			return r
		},
	}
}

func (r *Record) keep(k Keep) {
	r.Keep = Lasting
	if k == Short {
		r.Keep = Brief
	}
}

// standing is what may happen to a record that lies there.
func (r Record) standing(s Step) []difftest.Branch[Record] {
	if s.Do == Claim || s.Do == Look || s.Do == Lookup {
		return branches(r.asked(s))
	}
	if s.Do == Resolve {
		return branches(r.resolve(s))
	}
	owns := r.Owner == s.Owner && s.Off == 0 && !r.AtLeast
	after := r
	switch {
	case !owns, r.Done && s.Do != Complete:
		return branches(difftest.Leads(difftest.Lost, r))
	case r.Done: // completed by the same hold before (C16)
	case s.Do == Renew:
		after.Lease = Lasting
		if s.ShortLease {
			after.Lease = Brief
		}
		if after.Keep == Over {
			after.Keep = Brief
		}
	case s.Do == Release:
		after = Record{}
	case s.Do == Complete:
		after.Done, after.Outcome = true, s.Outcome
		after.keep(s.Keep)
	}
	return branches(difftest.Leads(difftest.OK, after))
}

// asked is the answer to a claim or a look.
func (r Record) asked(s Step) difftest.Branch[Record] {
	lapsed := r.Lease == Over
	switch {
	case r.Done:
		return r.tell(idem.Done, difftest.Outcome(&Outcomes[r.Outcome]))
	case s.Do == Claim && r.Owner == s.Owner: // the same answer (C16)
		return difftest.Branch[Record]{
			Told: fresh(r.Owner), Fenced: true, Fence: difftest.Fence{Is: r.Fence}, Then: func(int64) Record { return r },
		}
	case !lapsed:
		return r.tell(idem.Running, leased)
	case r.Orphan == idem.OrphanHold:
		return r.tell(idem.Held, "")
	case s.Do != Claim:
		return difftest.Leads(idem.Absent.String(), r)
	case difftest.PrintsDiffer(r.Print, s.Print): // K5
		return r.tell(idem.Running, "")
	}
	return claimed(s, r.Fence)
}

// resolve decides a held record (C17). Its vanished owner can't settle it any more.
func (r Record) resolve(s Step) difftest.Branch[Record] {
	if r.Done || r.Lease != Over || r.Orphan != idem.OrphanHold {
		return difftest.Leads(difftest.NotHeld, r)
	}
	if s.Rerun {
		return difftest.Leads(difftest.OK, Record{})
	}
	r.Done, r.Outcome, r.AtLeast = true, s.Outcome, true
	r.keep(s.Keep)
	return difftest.Leads(difftest.OK, r)
}

// leased says that an answer told the rest of a lease.
const leased = "leased"

func fresh(owner int) string { return idem.Fresh.String() + " " + difftest.OwnerWord(owner) }

// tell is an answer with the record.
func (r Record) tell(status idem.ClaimStatus, more string) difftest.Branch[Record] {
	fence := difftest.Fence{Is: r.Fence}
	if r.AtLeast {
		fence = difftest.Fence{Above: r.Fence}
	}
	return difftest.Branch[Record]{
		Told:   told(status, difftest.OwnerWord(r.Owner), difftest.PrintWord(r.Print), r.Orphan, more),
		Fenced: true, Fence: fence,
		Then: func(int64) Record { return r },
	}
}

// told are the words of an answer that has a record.
func told(status idem.ClaimStatus, owner, print string, orphan idem.Orphan, more string) string {
	text := fmt.Sprintf("%v %s %s orphan=%d", status, owner, print, orphan)
	if more != "" {
		text += " " + more
	}
	return text
}
