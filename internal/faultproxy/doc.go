// Package faultproxy stands between a client and a server on loopback and does to
// their connection what networks do: it delays, it cuts, it goes silent, and it loses
// the reply of a request the server has carried out. It also counts round trips.
//
//	p, err := faultproxy.New(server.Addr())
//	…
//	defer p.Close()
//	client := connect(p.Addr())
//	lost := p.DropReply("COMMIT", 1)
//	err = client.Commit() // the connection breaks, yet the server has committed
//	if lost.Fired() { … }
//
// It knows no protocol: a request is recognised by bytes in what the client sends.
package faultproxy
