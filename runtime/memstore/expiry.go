package memstore

import (
	"container/heap"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// expiryHeap is the index through which a shard finds what has expired: a
// min-heap of its records by expiry. Records that never expire are not in it.
type expiryHeap []*record

func (h expiryHeap) Len() int           { return len(h) }
func (h expiryHeap) Less(i, j int) bool { return h[i].expires < h[j].expires }
func (h expiryHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].slot, h[j].slot = i, j
}

func (h *expiryHeap) Push(x any) {
	r := x.(*record)
	r.slot = len(*h)
	*h = append(*h, r)
}

func (h *expiryHeap) Pop() any {
	old := *h
	r := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	r.slot = -1
	return r
}

// lease sets a running record's lease. A record that may be held never expires
// (C13); another stays for its retention, so that a slow owner whom nobody
// replaced can still complete it.
func (sh *shard) lease(r *record, now, lease time.Duration) {
	r.leaseEnd = after(now, lease)
	expires := forever
	if r.found.Orphan != idem.OrphanHold {
		expires = after(r.leaseEnd, r.retention)
	}
	sh.expire(r, expires)
}

// expire sets when a record may be pruned and keeps the index in order.
func (sh *shard) expire(r *record, at time.Duration) {
	r.expires = at
	switch {
	case at == forever && r.slot >= 0:
		heap.Remove(&sh.expiry, r.slot)
	case at == forever:
	case r.slot >= 0:
		heap.Fix(&sh.expiry, r.slot)
	default:
		heap.Push(&sh.expiry, r)
	}
}

// remove deletes a record.
func (sh *shard) remove(r *record) {
	if r.slot >= 0 {
		heap.Remove(&sh.expiry, r.slot)
	}
	delete(sh.records, r.hash)
}

// sweep removes at most limit expired records and returns how many.
func (sh *shard) sweep(now time.Duration, limit int) int {
	n := 0
	for n < limit && len(sh.expiry) > 0 && sh.expiry[0].expires <= now {
		sh.remove(sh.expiry[0])
		n++
	}
	return n
}
