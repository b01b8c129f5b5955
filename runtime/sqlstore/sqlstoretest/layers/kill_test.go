package layers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// Variables that tell a child which database to storm, and with which layers.
const (
	childDriver = "IDEMGEN_LAYERS_DRIVER"
	childSource = "IDEMGEN_LAYERS_SOURCE"
	childLayers = "IDEMGEN_LAYERS_ON"
)

const killedIntentions, killedDuplicates = 40, 10

// killedForm is the form of an intention: the same in every process.
func killedForm(w *world, on string, i int) client {
	f := newForm(w, on, i)
	f.token = fmt.Sprint("token of ", order(i))
	if on == "T" {
		return resigned{f}
	}
	return f
}

// resigned is a client that takes it when nobody knows whether its order was paid.
type resigned struct{ client }

func (c resigned) try(ctx context.Context) (bool, error) {
	again, err := c.client.try(ctx)
	if errors.Is(err, idem.ErrOutcomeUnknown) {
		return false, nil
	}
	return again, err
}

// withTokens puts the tokens into the database, too: they live longer than a process.
func (w *world) withTokens(d *database) *world {
	w.tokens = lossyTokens{newFlushable(func() idem.TokenStore { return sqlstore.NewTokens(w.db, d.dialect) })}
	w.shop = NewIdempotentShop(w.next, w.engine, sqlstore.New(w.db, d.dialect), w.tokens, memstore.NewLocks(nil), sqlstore.UniqueViolation)
	return w
}

// issue issues the tokens of all forms.
func (w *world) issue() {
	w.Helper()
	grant := idem.TokenGrant{TTL: time.Hour, Keep: time.Hour}
	for i := range killedIntentions {
		grant.Tokens = append(grant.Tokens, idem.HashToken(fmt.Sprint("token of ", order(i))))
	}
	if err := w.tokens.Issue(context.Background(), grant); err != nil {
		w.Fatal(err)
	}
}

// The process is killed in the middle of a storm, again and again. What it left is
// taken up by the next, and every intention has one effect in the end: with a token
// whose consumption a crash left behind, and with what stands inside alone. A token
// alone can't know what a killed owner did: never a second time is all that it says.
func TestLaw_Layers_KilledProcesses(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		for _, on := range []string{"TMU", "TO", "TM", "TU", "M", "U", "O", "T"} {
			t.Run(on, func(t *testing.T) {
				source := d.source(t)
				db := d.connect(t, source)
				d.migrate(t, db)
				w := newWorld(t, d, db).withTokens(d)
				w.prepare(killedIntentions, on)
				w.issue()
				kills := 0
				for range 3 {
					if stormAndKill(t, d, source, on) {
						kills++
					}
				}
				before := 0
				for _, n := range w.effects(killedIntentions) {
					before += n
				}
				if err := storm(killedIntentions, 3, func(i int) client { return killedForm(w, on, i) }, nil); err != nil {
					t.Error(err)
				}
				for i, n := range w.effects(killedIntentions) {
					if n > 1 || n == 0 && on != "T" {
						t.Errorf("%d effects of intention %d", n, i)
					}
				}
				t.Logf("%d processes killed, %d of %d effects by then", kills, before, killedIntentions)
			})
		}
	})
}

// stormAndKill runs a storm in a process of its own and kills it a little after its
// first effect. It tells whether there was something to kill.
func stormAndKill(t *testing.T, d *database, source, on string) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestStormOfAChild$")
	cmd.Env = append(os.Environ(), childDriver+"="+d.name, childSource+"="+source, childLayers+"="+on)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Error("the child did not come to an effect:", err)
	}
	killed := cmd.Process.Kill() == nil
	_ = cmd.Wait() // it was killed
	return killed
}

// TestStormOfAChild is what is killed. It writes when a payment has been made.
func TestStormOfAChild(t *testing.T) {
	if os.Getenv(childSource) == "" {
		t.Skip("run by TestLaw_Layers_KilledProcesses")
	}
	for _, d := range databases {
		if d.name != os.Getenv(childDriver) {
			continue
		}
		w := newWorld(t, d, d.connect(t, os.Getenv(childSource))).withTokens(d)
		on := os.Getenv(childLayers)
		err := storm(killedIntentions, killedDuplicates, func(i int) client {
			return &telling{killedForm(w, on, i)}
		}, nil)
		if err != nil {
			t.Error(err)
		}
		select {} // until it is killed
	}
}

// telling is a client that writes a byte for each answer.
type telling struct{ client }

func (c *telling) try(ctx context.Context) (bool, error) {
	again, err := c.client.try(ctx)
	if !again {
		fmt.Print(".")
	}
	return again, err
}
