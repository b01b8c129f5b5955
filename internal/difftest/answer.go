package difftest

import "fmt"

// Answer is what a store answered to a step: in words that are the same on every
// store, and the fence, which isn't.
type Answer struct {
	Told  string
	Fence int64 // 0 when none was told
}

// Fence says what the model knows of the fence in an answer.
type Fence struct {
	Is    int64 // the fence must be this one; 0 = any
	Above int64 // the fence must be larger
}

// admits tells whether a fence is as the model says.
func (f Fence) admits(fence int64) bool {
	return fence > f.Above && (f.Is == 0 || fence == f.Is)
}

// Branch is one of the things that may happen in a step.
type Branch[State any] struct {
	Told   string
	Fenced bool  // the answer has a fence, as Fence says
	Fence  Fence // see Fenced
	// Then is the state afterwards, given the fence that was told.
	Then func(fence int64) State
}

// Leads makes a branch to a state that doesn't depend on the answer.
func Leads[State any](told string, to State) Branch[State] {
	return Branch[State]{Told: told, Then: func(int64) State { return to }}
}

// Admits tells whether an answer is the one of the branch.
func (b *Branch[State]) Admits(a Answer) bool {
	if b.Told != a.Told {
		return false
	}
	return !b.Fenced || a.Fence > 0 && b.Fence.admits(a.Fence)
}

// String is the branch's answer, for a report.
func (b *Branch[State]) String() string {
	switch {
	case !b.Fenced:
		return b.Told
	case b.Fence.Is != 0:
		return fmt.Sprintf("%s fence=%d", b.Told, b.Fence.Is)
	}
	return fmt.Sprintf("%s fence>%d", b.Told, b.Fence.Above)
}

// String is the answer, for a report.
func (a Answer) String() string {
	if a.Fence == 0 {
		return a.Told
	}
	return fmt.Sprintf("%s fence=%d", a.Told, a.Fence)
}
