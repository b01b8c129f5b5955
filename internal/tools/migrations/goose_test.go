package migrations

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite"
)

// The states of the first deploy, and of the second, which has one more. They hold
// what a reader of lines may stumble over.
const (
	first = `package shop

// Status is where an order stands.
//
//idem:statemachine table=orders key=id column=status initial=Created final=Done history=order_history version=version
//idem:transition Start Created -> Odd
//idem:transition End Odd -> Done
type Status string

const (
	Created Status = "CREATED"
	Odd     Status = "it's;\n-- not a comment;\n\nBEGIN"
	Done    Status = "支付"
)
`
	added = `	Held    Status = "HELD"
)
`
)

// idemgen is the command, built once for a test.
func idemgen(t *testing.T) func(dir string, args ...string) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "idemgen")
	build := exec.Command("go", "build", "-o", bin, "./cmd/idemgen")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("idemgen %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// migrate runs what is new in a folder of migrations.
func migrate(t *testing.T, db *sql.DB, dir string) (ran int, err error) {
	t.Helper()
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	done, err := p.Up(t.Context())
	return len(done), err
}

// TestGoose_RunsWhatSchemaWrites: the first migration makes the tables, the second
// lets one state more in, and a third takes one away only when no row is in it.
func TestGoose_RunsWhatSchemaWrites(t *testing.T) {
	run, dir := idemgen(t), t.TempDir()
	source := filepath.Join(dir, "shop.go")
	write(t, filepath.Join(dir, "go.mod"), "module example.com/shop\n\ngo 1.26\n")
	sqls := filepath.Join(dir, "sql")
	if err := os.Mkdir(sqls, 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	insert := func(id, status string) error {
		_, err := db.ExecContext(t.Context(), "INSERT INTO orders (id, status) VALUES (?, ?)", id, status)
		return err
	}

	write(t, source, first)
	run(dir, "schema", "-dialect=sqlite", "-goose", "-o", "sql/1_guards.sql")
	if n, err := migrate(t, db, sqls); n != 1 || err != nil {
		t.Fatalf("%d migrations, %v", n, err)
	}
	for i, status := range []string{"CREATED", "it's;\n-- not a comment;\n\nBEGIN", "支付"} {
		if err := insert(string(rune('a'+i)), status); err != nil {
			t.Errorf("state %q: %v", status, err)
		}
	}
	if err := insert("x", "HELD"); err == nil || !strings.Contains(err.Error(), "orders.status is no state of Status") {
		t.Errorf("a state that is none yet: %v", err)
	}

	withHeld := strings.Replace(strings.Replace(first, "\n)\n", "\n"+added, 1), "type Status", "//idem:transition Hold Created -> Held\n//idem:transition Free Held -> Done\ntype Status", 1)
	write(t, source, withHeld)
	run(dir, "schema", "-from=sql/1_guards.sql", "-goose", "-o", "sql/2_held.sql")
	if n, err := migrate(t, db, sqls); n != 1 || err != nil {
		t.Fatalf("%d migrations, %v", n, err)
	}
	if err := insert("x", "HELD"); err != nil {
		t.Errorf("the new state: %v", err)
	}
	if err := insert("y", "GONE"); err == nil {
		t.Error("a state that is none was taken")
	}

	write(t, source, first)
	run(dir, "schema", "-from=sql/2_held.sql", "-goose", "-o", "sql/3_free.sql")
	if _, err := migrate(t, db, sqls); err == nil {
		t.Error("a state was taken away that a row is in")
	}
	if err := insert("z", "HELD"); err != nil {
		t.Errorf("behind a migration that failed: %v", err)
	}
	if _, err := db.ExecContext(t.Context(), "DELETE FROM orders WHERE status = 'HELD'"); err != nil {
		t.Fatal(err)
	}
	if n, err := migrate(t, db, sqls); n != 1 || err != nil {
		t.Fatalf("%d migrations, %v", n, err)
	}
	if err := insert("z", "HELD"); err == nil {
		t.Error("a state that was taken away was taken")
	}
}
