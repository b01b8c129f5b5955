// Package servers gives tests real servers: Postgres, MariaDB, Redis, a Redis pair
// watched by Sentinels, a Redis Cluster, and NATS with JetStream. It knows no driver and
// no client library.
//
// A test asks for a server by kind:
//
//	func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }
//
//	func TestStore(t *testing.T) {
//		db := servers.Postgres(t).Database(t)
//		conn, err := sql.Open("pgx", db.DSN())
//		…
//	}
//
// Postgres, MariaDB, Redis, RedisPair, RedisCluster and NATS are shared by the tests of one
// process: started on first use, ended by Main. The test binaries of one go test run
// are processes of their own and each starts what it uses; starting takes a second or
// two, so that tests of one kind of server do well to live in one package. Tests keep
// apart by a database each, and by names from Unique. NewPostgres and the like start
// a server for one test alone: to set Options, or to Kill, Restart, Pause and Resume.
//
// Servers listen on loopback, on ports below the ephemeral range, and keep their data
// in a folder in memory where there is room. Nothing is forced to disk, yet what they
// acknowledged survives Kill, because it was handed to the operating system. They are
// ended by process id, and on Linux also when the test process dies, whatever kills
// it; the next run then removes the folder. Started by root, they run as the user of
// their package or as nobody.
//
// Variables may name servers that run already (EnvPostgres and the others). Nothing
// is started then; the client programs psql and mariadb are still needed; Kill answers
// ErrExternal; and a test that needs a server of its own does not run. Where a server's
// programs are missing, too, a test does not run: it is skipped and noted in the file
// that EnvNotRun names, or fails when EnvRequire is 1, as it is wherever all programs
// are there.
package servers
