package sqlstoretest

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

func TestRecordStore(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		t.Parallel()
		f := d.fixture(t)
		idemtest.TestRecordStore(t, func(t *testing.T) idem.RecordStore { return f.store })
	})
}
