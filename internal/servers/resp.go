package servers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

const (
	respDialWithin = 2 * time.Second
	respWithin     = 10 * time.Second
	// respLongest bounds one value of a reply in bytes, respMost the values of one,
	// and respDeepest how deep arrays lie in each other.
	respLongest = 64 << 20
	respMost    = 1 << 20
	respDeepest = 8
)

// RedisError is an error reply of Redis, as it wrote it.
type RedisError string

func (e RedisError) Error() string { return string(e) }

// respDo sends one command on a connection of its own and returns the values of the
// reply, arrays laid flat, nil replies as empty strings.
func respDo(addr, user, password string, args ...string) ([]string, error) {
	conn, err := net.DialTimeout("tcp", addr, respDialWithin)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(respWithin)); err != nil {
		return nil, err
	}
	r := bufio.NewReader(conn)
	if password != "" {
		auth := []string{"AUTH", password}
		if user != "" {
			auth = []string{"AUTH", user, password}
		}
		if _, err := respRound(conn, r, auth); err != nil {
			return nil, err
		}
	}
	return respRound(conn, r, args)
}

// respRound sends one command and reads its reply.
func respRound(w io.Writer, r *bufio.Reader, args []string) ([]string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return nil, err
	}
	var values []string
	err := respRead(r, &values, respDeepest)
	return values, err
}

// respRead reads one value of RESP2 and appends it, or its elements.
func respRead(r *bufio.Reader, values *[]string, depth int) error {
	line, err := r.ReadString('\n')
	if err != nil {
		return err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if line == "" || depth == 0 || len(*values) > respMost {
		return errors.New("not a reply of Redis")
	}
	kind, text := line[0], line[1:]
	switch kind {
	case '+', ':':
		*values = append(*values, text)
		return nil
	case '-':
		return RedisError(text)
	case '$', '*':
	default:
		return fmt.Errorf("not a reply of Redis: %q", line)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > respLongest {
		return fmt.Errorf("not a length: %q", text)
	}
	if n < 0 {
		*values = append(*values, "")
		return nil
	}
	if kind == '$' {
		body := make([]byte, n+2)
		if _, err := io.ReadFull(r, body); err != nil {
			return err
		}
		*values = append(*values, string(body[:n]))
		return nil
	}
	for range n {
		if err := respRead(r, values, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// infoField is a field of the text that INFO and CLUSTER INFO return.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
