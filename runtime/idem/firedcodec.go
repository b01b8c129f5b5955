package idem

import (
	"encoding/json"
	"fmt"
)

// firedCodec keeps what a once event did by the values of its states, which
// outlive their numbers. The same bytes are made in SQL, see firedSQL.
type firedCodec struct{ machine *Machine }

// firedName is the name of the codec.
const firedName = "fired1"

// firedSQL makes the bytes on Postgres from the row that was changed.
const firedSQL = `convert_to(json_build_object('from', CAST(idem_u.from_state AS text), 'to', CAST(idem_u.to_state AS text), 'version', COALESCE(idem_u.version, -1))::text, 'UTF8')`

// firedJSON is what stands in the record.
type firedJSON struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Version int64  `json:"version"`
}

// Name returns fired1.
func (firedCodec) Name() string { return firedName }

// Encode writes a Fired.
func (c firedCodec) Encode(v any) ([]byte, error) {
	f, ok := v.(Fired)
	if !ok {
		return nil, fmt.Errorf("idem: %s keeps a Fired, not a %T", firedName, v)
	}
	states := c.machine.States
	return json.Marshal(firedJSON{From: states[f.From].Value, To: states[f.To].Value, Version: f.Version})
}

// Decode reads one. A state that the machine has no more is an error.
func (c firedCodec) Decode(data []byte, v any) error {
	f, ok := v.(*Fired)
	if !ok {
		return fmt.Errorf("idem: %s keeps a Fired, not a %T", firedName, v)
	}
	var kept firedJSON
	if err := json.Unmarshal(data, &kept); err != nil {
		return err
	}
	from, to := c.machine.find(kept.From), c.machine.find(kept.To)
	if from < 0 {
		return UnknownState(c.machine.Name, kept.From)
	}
	if to < 0 {
		return UnknownState(c.machine.Name, kept.To)
	}
	*f = Fired{From: from, To: to, Version: kept.Version}
	return nil
}

// size is the largest number of bytes that the codec makes.
func (c firedCodec) size() int64 {
	longest := 0
	for i := range c.machine.States {
		longest = max(longest, len(c.machine.States[i].Value))
	}
	return int64(64 + 2*6*longest) // JSON writes a byte as \u00xx at worst
}
