package ginidem

import (
	"bufio"
	"io"
	"net"
	"net/http"

	"github.com/gin-gonic/gin"
)

// writer is the gate's writer as gin wants one: the status is kept until the first
// byte, and counted are the bytes of the body.
type writer struct {
	http.ResponseWriter
	outer  gin.ResponseWriter
	status int
	size   int // -1 until the status is written
}

var _ gin.ResponseWriter = (*writer)(nil)

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader keeps the status for the first byte.
func (w *writer) WriteHeader(code int) {
	if code > 0 && !w.Written() {
		w.status = code
	}
}

// WriteHeaderNow writes the status.
func (w *writer) WriteHeaderNow() {
	if !w.Written() {
		w.size = 0
		w.ResponseWriter.WriteHeader(w.status)
	}
}

// Write writes a piece of the body.
func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeaderNow()
	n, err := w.ResponseWriter.Write(p)
	w.size += n
	return n, err
}

// WriteString writes a piece of the body.
func (w *writer) WriteString(s string) (int, error) {
	w.WriteHeaderNow()
	n, err := io.WriteString(w.ResponseWriter, s)
	w.size += n
	return n, err
}

// Status is the status so far.
func (w *writer) Status() int { return w.status }

// Size is the number of bytes written, -1 before the status is.
func (w *writer) Size() int { return w.size }

// Written tells whether the status is written.
func (w *writer) Written() bool { return w.size >= 0 }

// Flush sends what there is.
func (w *writer) Flush() {
	w.WriteHeaderNow()
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack hands the connection over.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.size < 0 {
		w.size = 0
	}
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// CloseNotify is the server's: it tells of the client, which the handler outlives.
func (w *writer) CloseNotify() <-chan bool { return w.outer.CloseNotify() }

// Pusher is the server's.
func (w *writer) Pusher() http.Pusher { return w.outer.Pusher() }
