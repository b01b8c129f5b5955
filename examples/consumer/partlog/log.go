// Package partlog has the shape of a partitioned log, as Kafka is one: a topic of partitions, each an ordered log with offsets, and a group of consumers that commits how far it has come in each.
//
// The flow: [Log.Append] puts a message at the end of the partition of its key; a [Consumer] reads a partition from the committed offset on, in order, has each message handled, and commits now and then. No message is answered by itself: the committed
// offset says that all before it are done. A consumer that dies is followed by another that begins at the last committed offset, so that everything behind it comes twice. It lives in memory: it is the shape of the API that a wrapper has to fit.
package partlog

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
)

// ErrOffset: a commit that goes back, or beyond the end.
var ErrOffset = errors.New("partlog: no such offset to commit")

// Message is one message of the log.
type Message struct {
	Partition int
	Offset    int64
	Key       string
	Body      []byte
}

// Log is a topic and the offsets of its groups. Safe for concurrent use.
type Log struct {
	mu         sync.Mutex
	partitions [][]Message
	committed  map[position]int64
	grown      chan struct{} // closed and replaced when something is appended
}

type position struct {
	group     string
	partition int
}

// NewLog makes an empty log.
func NewLog(partitions int) *Log {
	return &Log{partitions: make([][]Message, partitions), committed: map[position]int64{}, grown: make(chan struct{})}
}

// Partitions is how many there are.
func (l *Log) Partitions() int { return len(l.partitions) }

// Append puts a message at the end of its key's partition: messages of one key stay in order.
func (l *Log) Append(key string, body []byte) Message {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // never fails
	p := int(h.Sum32() % uint32(len(l.partitions)))
	l.mu.Lock()
	defer l.mu.Unlock()
	m := Message{Partition: p, Offset: int64(len(l.partitions[p])), Key: key, Body: body}
	l.partitions[p] = append(l.partitions[p], m)
	close(l.grown)
	l.grown = make(chan struct{})
	return m
}

// End is the offset behind the last message of a partition.
func (l *Log) End(partition int) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.partitions[partition]))
}

// Read returns the message at an offset, and waits for it where there is none yet. Error: the context's.
func (l *Log) Read(ctx context.Context, partition int, offset int64) (Message, error) {
	for {
		l.mu.Lock()
		log, grown := l.partitions[partition], l.grown
		l.mu.Unlock()
		if offset < int64(len(log)) {
			return log[offset], nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return Message{}, ctx.Err()
		}
	}
}

// Commit says that a group has done all messages of a partition before an offset. Error: ErrOffset.
func (l *Log) Commit(group string, partition int, offset int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := position{group, partition}
	if offset < l.committed[at] || offset > int64(len(l.partitions[partition])) {
		return fmt.Errorf("%w: %d of partition %d, after %d", ErrOffset, offset, partition, l.committed[at])
	}
	l.committed[at] = offset
	return nil
}

// Committed is where a group begins to read a partition.
func (l *Log) Committed(group string, partition int) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.committed[position{group, partition}]
}
