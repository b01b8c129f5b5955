package sqlstoretest

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// locks is a locker on the fixture's pool, with its table beside the records.
func (f *fixture) locks(opts ...sqlstore.Option) *sqlstore.Locks {
	f.Helper()
	s := sqlstore.NewLocks(f.db, f.on.dialect, opts...)
	if err := s.Migrate(context.Background()); err != nil {
		f.Fatal(err)
	}
	return s
}

// lockOn is a request of a new owner that checks.
func lockOn(t testing.TB, parts ...idem.Part) idem.LockRequest {
	t.Helper()
	return idem.LockRequest{Key: claimOn(t, 0, parts...).Key, Owner: idem.NewOwner(), TTL: time.Minute, Check: true}
}

// next is the same request of another owner.
func next(r idem.LockRequest) idem.LockRequest {
	r.Owner = idem.NewOwner()
	return r
}

// acquire acquires and checks the status.
func acquire(t testing.TB, s idem.Locker, r idem.LockRequest, want idem.LockStatus) idem.Hold {
	t.Helper()
	f, err := s.Acquire(context.Background(), r)
	if err != nil || f.Status != want {
		t.Fatalf("acquire: %v, %v, want %v", f.Status, err, want)
	}
	return idem.Hold{Key: r.Key, Owner: r.Owner, Fence: f.Fence}
}

// complete leaves a completed record.
func (f *fixture) complete(k idem.Key, data string) {
	f.Helper()
	ctx := context.Background()
	c := idem.Claim{Key: k, Owner: idem.NewOwner(), Lease: time.Minute, Orphan: idem.OrphanRerun}
	got, err := f.store.Claim(ctx, c)
	if err != nil || got.Status != idem.Fresh {
		f.Fatal(got.Status, err)
	}
	if err := f.store.Complete(ctx, idem.Hold{Key: k, Owner: c.Owner, Fence: got.Record.Fence}, done(data), time.Hour); err != nil {
		f.Fatal(err)
	}
}

func TestLocker(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		t.Parallel()
		f := d.fixture(t)
		s := f.locks()
		idemtest.TestLocker(t, func(t *testing.T) (idem.Locker, idem.RecordStore) { return s, f.store })
	})
}

func TestLockerAtEachLevel(t *testing.T) {
	onDefaultLevels(t, func(t *testing.T, d *database) {
		f := d.fixture(t)
		s := f.locks()
		idemtest.TestLocker(t, func(t *testing.T) (idem.Locker, idem.RecordStore) { return s, f.store })
	})
}

// A locker that has no records beside it checks none, and needs no table of them.
func TestLockerWithoutRecords(t *testing.T) {
	on(t, everyDatabase, func(t *testing.T, d *database) {
		t.Parallel()
		source := d.create(t)
		s := d.over(t, source, d.open(t, source)).locks(sqlstore.WithoutRecords())
		idemtest.TestLocker(t, func(t *testing.T) (idem.Locker, idem.RecordStore) { return s, nil })
	})
}
