package servers

// Option sets something on a private server before it is started.
type Option func(*config)

// config is what the options of one server add up to.
type config struct {
	timeZone  string
	isolation string
	settings  []setting
	masters   int // of a Redis Cluster, without replicas; 0 = as usual
}

type setting struct{ name, value string }

func newConfig(opts []Option) *config {
	c := new(config)
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// TimeZone has a database server live in a time zone of the tz database, such as
// "Asia/Tokyo": its own one and the default of its sessions. The servers read the
// machine's clock, so that a skewed clock is for the test's client to have.
func TimeZone(name string) Option {
	return func(c *config) { c.timeZone = name }
}

// Isolation sets the isolation level transactions of a database server get when they
// don't ask for one: "read committed", "repeatable read" or "serializable".
func Isolation(level string) Option {
	return func(c *config) { c.isolation = level }
}

// Setting sets a parameter of the server by its own name: Setting("work_mem", "1MB")
// on Postgres, Setting("max_connections", "10") on MariaDB,
// Setting("maxmemory-policy", "allkeys-lru") on Redis. It wins over what this package
// sets. On a Redis pair or cluster it goes to every data node.
func Setting(name, value string) Option {
	return func(c *config) { c.settings = append(c.settings, setting{name, value}) }
}

// Masters sets how many masters a Redis Cluster has, at least one. They have no replicas
// then: it is for measuring, not for failing over.
func Masters(n int) Option {
	return func(c *config) { c.masters = n }
}
