package versions_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// request is what a call asks; v1 doesn't know Coupon.
type request struct {
	Order  string `json:"order"`
	Amount int64  `json:"amount"`
	Coupon string `json:"coupon,omitempty"`
}

// reply is what a process answers.
type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Code   string          `json:"code"`
	Error  string          `json:"error"`
}

// errGone: the process ended before it answered.
var errGone = errors.New("the process is gone")

// process is a running program.
type process struct {
	cmd    *exec.Cmd
	stderr strings.Builder
	over   chan struct{} // closed when it has ended
	ended  error

	mu      sync.Mutex
	in      io.WriteCloser
	waiting map[int]chan reply // nil when it has ended
	last    int
}

// start starts a program, which the test ends at its end if it still runs.
func start(t *testing.T, program string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(program, args...), over: make(chan struct{}), waiting: map[int]chan reply{}}
	p.cmd.Stderr = &p.stderr
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // by default a second passes before a process ends
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(out)
	t.Cleanup(func() {
		p.kill()
		if text := p.stderr.String(); text != "" {
			t.Errorf("%s: %s", program, text)
		}
	})
	return p
}

// read hands replies out until the process ends, and then tells who still waits.
func (p *process) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var r reply
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // cut off by a kill
		}
		p.mu.Lock()
		to := p.waiting[r.ID]
		delete(p.waiting, r.ID)
		p.mu.Unlock()
		to <- r
	}
	p.ended = p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, to := range p.waiting {
		close(to)
	}
	p.waiting = nil
	close(p.over)
}

// call sends a call and waits for its answer. errGone says nothing of whether it was
// carried out.
func (p *process) call(method string, r request) (reply, error) {
	to := make(chan reply, 1)
	p.mu.Lock()
	if p.waiting == nil {
		p.mu.Unlock()
		return reply{}, errGone
	}
	p.last++
	p.waiting[p.last] = to
	line, err := json.Marshal(map[string]any{"id": p.last, "method": method, "request": r})
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err != nil {
		delete(p.waiting, p.last)
	}
	p.mu.Unlock()
	if err != nil {
		return reply{}, errGone
	}
	got, ok := <-to
	if !ok {
		return reply{}, errGone
	}
	return got, nil
}

// stop lets the process finish what it was asked, as a deploy does.
func (p *process) stop() error {
	p.mu.Lock()
	p.in.Close()
	p.mu.Unlock()
	<-p.over
	return p.ended
}

// kill ends the process at once (SIGKILL).
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.over
}
