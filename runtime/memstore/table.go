package memstore

import (
	"container/heap"
	"sync"
	"time"
)

// table is a sharded map whose entries may expire: what token store and locker
// share. Times are counted from start.
type table[V any] struct {
	start  time.Time
	shards [shards]tableShard[V]
}

// tableShard holds its entries by hash, and those that expire in a min-heap too.
type tableShard[V any] struct {
	mu      sync.Mutex
	entries map[[32]byte]*entry[V]
	heap    entryHeap[V]
}

type entry[V any] struct {
	hash    [32]byte
	expires time.Duration // forever = not in the heap
	slot    int           // index in the heap, or -1
	value   V
}

func newTable[V any]() *table[V] {
	t := &table[V]{start: time.Now()}
	for i := range t.shards {
		t.shards[i].entries = map[[32]byte]*entry[V]{}
	}
	return t
}

// lock returns the shard of a hash, locked and swept, and the time.
func (t *table[V]) lock(hash *[32]byte) (*tableShard[V], time.Duration) {
	sh := &t.shards[hash[0]%shards]
	sh.mu.Lock()
	now := time.Since(t.start)
	sh.sweep(now, sweep)
	return sh, now
}

// fence is the fence of an acquisition after one with the fence previous: larger,
// and at least the clock in microseconds, so that it grows also over entries that
// were forgotten (L2).
func (t *table[V]) fence(previous int64, now time.Duration) int64 {
	return max(previous+1, t.start.Add(now).UnixMicro())
}

// len counts the entries, expired ones included.
func (t *table[V]) len() int {
	n := 0
	for i := range t.shards {
		sh := &t.shards[i]
		sh.mu.Lock()
		n += len(sh.entries)
		sh.mu.Unlock()
	}
	return n
}

// get returns the entry of a hash, nil when there is none or it has expired.
func (sh *tableShard[V]) get(hash [32]byte, now time.Duration) *entry[V] {
	e := sh.entries[hash]
	if e == nil || e.expires <= now {
		return nil
	}
	return e
}

// put makes the entry of a hash, in place of an expired one.
func (sh *tableShard[V]) put(hash [32]byte, v V, expires time.Duration) *entry[V] {
	if old := sh.entries[hash]; old != nil {
		sh.remove(old)
	}
	e := &entry[V]{hash: hash, slot: -1, expires: forever, value: v}
	sh.entries[hash] = e
	sh.expire(e, expires)
	return e
}

// expire sets when an entry may be swept.
func (sh *tableShard[V]) expire(e *entry[V], at time.Duration) {
	e.expires = at
	switch {
	case at == forever && e.slot >= 0:
		heap.Remove(&sh.heap, e.slot)
	case at == forever:
	case e.slot >= 0:
		heap.Fix(&sh.heap, e.slot)
	default:
		heap.Push(&sh.heap, e)
	}
}

func (sh *tableShard[V]) remove(e *entry[V]) {
	if e.slot >= 0 {
		heap.Remove(&sh.heap, e.slot)
	}
	delete(sh.entries, e.hash)
}

// sweep removes at most limit expired entries.
func (sh *tableShard[V]) sweep(now time.Duration, limit int) {
	for n := 0; n < limit && len(sh.heap) > 0 && sh.heap[0].expires <= now; n++ {
		sh.remove(sh.heap[0])
	}
}

// entryHeap is a min-heap of entries by expiry.
type entryHeap[V any] []*entry[V]

func (h entryHeap[V]) Len() int           { return len(h) }
func (h entryHeap[V]) Less(i, j int) bool { return h[i].expires < h[j].expires }
func (h entryHeap[V]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].slot, h[j].slot = i, j
}

func (h *entryHeap[V]) Push(x any) {
	e := x.(*entry[V])
	e.slot = len(*h)
	*h = append(*h, e)
}

func (h *entryHeap[V]) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	e.slot = -1
	return e
}
