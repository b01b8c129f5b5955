package servers

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// replicaPoll is the pause between two looks at how far a replica is.
const replicaPoll = 5 * time.Millisecond

// AwaitReplica waits until a replica of this node has applied every write that the
// node had when it was called.
func (s *RedisServer) AwaitReplica(replica *RedisServer, within time.Duration) error {
	want, err := s.offset("master_repl_offset")
	if err != nil {
		return err
	}
	return await(within, replicaPoll, func() (bool, error) {
		got, err := replica.offset("slave_repl_offset")
		if err != nil {
			return false, &notYet{err}
		}
		if got < want {
			return false, &notYet{fmt.Errorf("%s is at offset %d of %d", replica.addr, got, want)}
		}
		return true, nil
	})
}

// offset is how far a node is in the stream of replication.
func (s *RedisServer) offset(field string) (int64, error) {
	info, err := s.info("INFO", "replication")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(infoField(info, field), 10, 64)
}

// follows tells, by notYet errors, whether a replica follows its primary, the primary
// streams to it, and the replica's own log has begun anew after the first copy: killed
// before that, it would forget everything.
func (s *RedisServer) follows(primary *RedisServer) error {
	info, err := s.info("INFO", "replication")
	if err != nil || infoField(info, "master_link_status") != "up" {
		return &notYet{fmt.Errorf("%s doesn't follow yet: %v", s.addr, err)}
	}
	info, err = primary.info("INFO", "replication")
	if err != nil || !strings.Contains(info, "state=online") {
		return &notYet{fmt.Errorf("%s doesn't stream yet: %v", primary.addr, err)}
	}
	info, err = s.info("INFO", "persistence")
	if err != nil || infoField(info, "aof_rewrite_in_progress") != "0" || infoField(info, "aof_rewrite_scheduled") != "0" {
		return &notYet{fmt.Errorf("%s is still writing its first log: %v", s.addr, err)}
	}
	return nil
}

// info is the text a command replies with: a section of INFO, or of CLUSTER INFO.
func (s *RedisServer) info(command ...string) (string, error) {
	values, err := s.Do(command...)
	if err != nil || len(values) == 0 {
		return "", cmp.Or(err, errors.New("no reply"))
	}
	return values[0], nil
}
