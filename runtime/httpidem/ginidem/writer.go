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
	size   int       // -1 until the status is written
	gone   chan bool // told when the client is gone and what is written is kept no more
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
	return w.wrote(n, err)
}

// wrote counts. An error is the client's that has gone from a response that is not
// recorded: whoever streams may stop.
func (w *writer) wrote(n int, err error) (int, error) {
	w.size += n
	if err != nil {
		select {
		case w.gone <- true:
		default:
		}
	}
	return n, err
}

// texts are what gin answers itself.
var texts = map[int]string{http.StatusNotFound: "404 page not found", http.StatusMethodNotAllowed: "405 method not allowed"}

// finish writes what gin would: the status, and its text where no handler was found.
func (w *writer) finish() {
	if text, own := texts[w.status]; own && w.status == w.outer.Status() && !w.Written() {
		w.Header().Set("Content-Type", gin.MIMEPlain)
		_, _ = w.WriteString(text)
		return
	}
	w.WriteHeaderNow()
}

// WriteString writes a piece of the body.
func (w *writer) WriteString(s string) (int, error) {
	w.WriteHeaderNow()
	n, err := io.WriteString(w.ResponseWriter, s)
	return w.wrote(n, err)
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

// CloseNotify tells that the client has gone where that is the handler's business: while
// the response is recorded for the retry, the handler goes on to its end (H2).
func (w *writer) CloseNotify() <-chan bool { return w.gone }

// Pusher is the server's.
func (w *writer) Pusher() http.Pusher { return w.outer.Pusher() }
