// Package echoidem puts a gate of httpidem before echo handlers. All that httpidem
// says holds here: the route, the replay, what is stored and what is refused.
//
//	gate := httpidem.New(engine, store, httpidem.Route{Required: true})
//	e.POST("/pay", pay, echoidem.Middleware(gate))
package echoidem

import (
	"net/http"

	"github.com/idemgen/idemgen/runtime/httpidem"
	"github.com/labstack/echo/v4"
)

// Middleware guards the handlers behind it. An error that they return is answered by
// echo's error handler inside the gate, so that this answer is what is stored and
// replayed; middleware in front sees no error for it, but the status. It is safe for
// concurrent use.
func Middleware(gate *httpidem.Gate) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			outer := c.Response()
			defer c.SetResponse(outer) // also when a panic passes through
			gate.Serve(outer, c.Request(), func(w http.ResponseWriter, r *http.Request) {
				c.SetRequest(r)
				c.SetResponse(echo.NewResponse(w, c.Echo()))
				if err := next(c); err != nil {
					c.Error(err)
				}
			})
			return nil
		}
	}
}
