package diag

import "strings"

// longestSuggested bounds the work that one suggestion may cost, in runes.
const longestSuggested = 64

// Suggest returns the candidate that word was most likely meant to be, or ""
// when none is close. Case does not count; one insertion, deletion,
// replacement or swap of neighbours counts one. Of equally close candidates
// the first wins, so that the caller's order decides.
func Suggest(word string, candidates []string) string {
	w := []rune(strings.ToLower(word))
	if len(w) == 0 || len(w) > longestSuggested {
		return ""
	}
	best, found := 0, ""
	for _, c := range candidates {
		r := []rune(strings.ToLower(c))
		if len(r) == 0 || len(r) > longestSuggested {
			continue
		}
		d := distance(w, r)
		if d > tolerance(min(len(w), len(r))) {
			continue
		}
		if found == "" || d < best {
			best, found = d, c
		}
	}
	return found
}

// tolerance is how many slips still count as the same word of n runes.
func tolerance(n int) int {
	switch {
	case n <= 1:
		return 0
	case n <= 3:
		return 1
	case n <= 8:
		return 2
	default:
		return n / 3
	}
}

// distance is the edit distance with swaps of neighbours (optimal string
// alignment).
func distance(a, b []rune) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			change := prev[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			cur[j] = min(change, prev[j]+1, cur[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
