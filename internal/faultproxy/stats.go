package faultproxy

import "sync"

// Stats counts what went over connections. The zero value has counted nothing.
type Stats struct {
	mu      sync.Mutex
	counts  Counts
	waiting bool // the client has sent something that has not been answered
}

// Counts are the figures of one connection or of several.
type Counts struct {
	// Connections is how many connections the figures are of.
	Connections int
	// RoundTrips is how often the server answered after the client had sent: a burst
	// of writes and the burst of the reply are one, however many packets they take.
	// What the server says unasked, such as a greeting, is none.
	RoundTrips int
	// BytesToServer and BytesToClient are what the two sides have sent, in bytes.
	BytesToServer int64
	BytesToClient int64
}

func (s *Stats) sent(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.BytesToServer += int64(n)
	s.waiting = true
}

func (s *Stats) answered(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.BytesToClient += int64(n)
	if s.waiting {
		s.counts.RoundTrips++
		s.waiting = false
	}
}

func (s *Stats) read() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	c.Connections = 1
	return c
}

// Connections are the counts of each connection since the start or the last Reset, in
// the order they were made, ended ones included.
func (p *Proxy) Connections() []Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Counts
	for _, s := range p.stats {
		all = append(all, s.read())
	}
	return all
}

// Total adds up the counts of all connections since the start or the last Reset.
func (p *Proxy) Total() Counts {
	var total Counts
	for _, c := range p.Connections() {
		total.Connections += c.Connections
		total.RoundTrips += c.RoundTrips
		total.BytesToServer += c.BytesToServer
		total.BytesToClient += c.BytesToClient
	}
	return total
}

// Reset sets all counts to zero and forgets the connections that have ended. A round
// trip under way counts when its answer comes.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var open []*Stats
	for _, s := range p.stats {
		for l := range p.links {
			if l.stats == s {
				s.mu.Lock()
				s.counts = Counts{}
				s.mu.Unlock()
				open = append(open, s)
			}
		}
	}
	p.stats = open
}
