package proxy

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// transport is HTTP/1.1, one request at a time on a connection, so that the bytes that were sent on it are the request's. It neither asks for compression nor undoes it: bodies pass as they are.
func transport(timeout time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &conn{Conn: c, silence: timeout}, nil
		},
		DisableCompression:    true,
		MaxIdleConnsPerHost:   100,
		IdleConnTimeout:       30 * time.Second,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: timeout,
	}
}

// conn counts what is sent on a connection, and ends when nothing comes for too long: a request that outlives its client must not wait for ever.
type conn struct {
	net.Conn
	sent    atomic.Int64 // bytes, counted before they leave
	silence time.Duration
	free    atomic.Bool // of that bound
}

// Read waits a bounded time.
func (c *conn) Read(p []byte) (int, error) {
	c.wait()
	return c.Conn.Read(p)
}

// wait lets the bound begin anew.
func (c *conn) wait() {
	if c.free.Load() {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(c.silence)) // fails on a closed connection, where the next step does too
	if c.free.Load() {                               // meanwhile
		_ = c.SetReadDeadline(time.Time{})
	}
}

// release frees a connection that has changed its protocol: its client sees to it now.
func (c *conn) release() {
	c.free.Store(true)
	_ = c.SetReadDeadline(time.Time{})
}

// Write counts and sends. The answer has its whole time from here, also where the connection was idle for a while.
func (c *conn) Write(p []byte) (int, error) {
	c.sent.Add(int64(len(p)))
	c.wait()
	return c.Conn.Write(p)
}

// withAttempt makes the context of one request to the back end, which notes the connection that it gets.
func withAttempt(ctx context.Context, w http.ResponseWriter) context.Context {
	a := &attempt{w: w}
	ctx = context.WithValue(ctx, attemptKey{}, a)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		c := info.Conn
		if tls, is := c.(interface{ NetConn() net.Conn }); is {
			c = tls.NetConn()
		}
		a.conn = c.(*conn)
		a.before = a.conn.sent.Load()
	}})
}
