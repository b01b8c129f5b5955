// Package page is the page with the pay button: one file of HTML, one of style and one of script, without a build step.
package page

import (
	"embed"
	"net/http"

	"github.com/idemgen/idemgen/examples/payment/session"
)

//go:embed index.html style.css app.js
var files embed.FS

// policy lets the page load nothing but itself.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page, and gives a browser its session.
func Handler() http.Handler {
	serve := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			session.Give(w, r)
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		serve.ServeHTTP(w, r)
	})
}
