// Package layers has no code but tests: what an outer layer in Redis forgets, an inner
// layer in SQL still holds.
//
// The flow of a test: every intention is carried out once, through an outer layer in
// Redis and an inner one in the business database; Redis loses what it acknowledged;
// every call is sent again, by several callers at once; the effects are counted. With
// no inner layer the same storm shows double effects.
package layers
