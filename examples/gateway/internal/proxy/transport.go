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
			return &conn{Conn: c}, nil
		},
		DisableCompression:    true,
		MaxIdleConnsPerHost:   100,
		IdleConnTimeout:       30 * time.Second,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: timeout,
	}
}

// conn counts what is sent on a connection.
type conn struct {
	net.Conn
	sent atomic.Int64 // bytes, counted before they leave
}

// Write counts and sends.
func (c *conn) Write(p []byte) (int, error) {
	c.sent.Add(int64(len(p)))
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
