// Package ginidem puts a gate of httpidem before gin handlers. All that httpidem
// says holds here: the route, the replay, what is stored and what is refused.
//
//	gate := httpidem.New(engine, store, httpidem.Route{Required: true})
//	router.POST("/pay", ginidem.Middleware(gate), pay)
package ginidem

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/idemgen/idemgen/runtime/httpidem"
)

// Middleware guards the handlers behind it. A request that is not to run, a replay
// or a refusal, is answered and aborted. Middleware in front sees the status that the
// client gets. A middleware that compresses stands behind the gate or in front of it:
// in front it compresses replays, too. It is safe for concurrent use.
func Middleware(gate *httpidem.Gate) gin.HandlerFunc {
	return func(c *gin.Context) {
		outer, ran := c.Writer, false
		defer func() { c.Writer = outer }() // also when a panic passes through
		gate.Serve(outer, c.Request, func(w http.ResponseWriter, r *http.Request) {
			ran = true
			c.Request = r
			if w == http.ResponseWriter(outer) { // nothing is guarded
				c.Next()
				return
			}
			// The status that stands there already is gin's own, of a path without a
			// route, or that of a middleware in front.
			inner := &writer{ResponseWriter: w, outer: outer, status: outer.Status(), size: -1, gone: make(chan bool, 1)}
			c.Writer = inner
			c.Next()
			inner.finish()
		})
		if !ran {
			c.Abort()
		}
	}
}
