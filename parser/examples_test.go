package parser

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idemgen/idemgen/parser/diag"
	"github.com/idemgen/idemgen/templates"
)

// frame is what stands around the example of a code. SNIPPET is the example.
type frame string

// What examples refer to.
const declared = `
type (
	Receipt struct{ ID string }
	Stock   struct{ ID string }
	Session struct{ ID string }
	Tenant  struct{ ID string }
	Msg     struct{ ID, OrderID string }
	Request struct {
		ID, OrderID, TenantName string
		TenantID                int64
		Amount                  float64
		At                      time.Time
		Session                 *Session
	}
	Service  struct{ db *sql.DB; ctx context.Context }
	Handler  struct{}
	Consumer struct{}
)

var ErrSoldOut = errors.New("sold out")
`

const head = `package x

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"time"
)
` + declared

// Frames of methods: in transaction mode, by lease, and of what stands beside them.
const (
	inTx = frame(head + `
SNIPPET
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID, tenantID, id string, amount int64, tenant *Tenant, req *Request) (*Receipt, error)
func (s *Service) Receipt(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error)
func (s *Service) ByNo(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error)
func (s *Service) Released(orderID string) (*Receipt, bool, error)
`)
	byLease = frame(head + `
SNIPPET
func (s *Service) Pay(ctx context.Context, orderID string, req *Request, msg *Msg) error
`)
	handler = frame(head + `
SNIPPET
func (h *Handler) Pay(w http.ResponseWriter, r *http.Request)
`)
	alone = frame(head + "\nSNIPPET\n")
)

// Frames of machines: what the example lacks of one.
const (
	constants = "\nconst (\n\tCreated Status = \"CREATED\"\n\tPaid    Status = \"PAID\"\n\tDone    Status = \"DONE\"\n)\n"
	payStates = "\nconst (\n\tCreated Status = \"CREATED\"\n\tPaid    Status = \"PAID\"\n\tRetail         = \"RETAIL\"\n)\n"
	endStates = "\nconst (\n\tCreated Status = \"CREATED\"\n\tDone    Status = \"DONE\"\n)\n"
	// The example is what stands on a type with two states, with or without the event
	// between them.
	small   = frame(head + "\nSNIPPET\ntype Status string\n" + payStates)
	smaller = frame(head + "\nSNIPPET\n//idem:transition Pay Created -> Paid\ntype Status string\n" + payStates)
	// It is one more transition of three states.
	edges = frame(head + "\n//idem:statemachine table=orders key=id column=status initial=Created final=Done\n//idem:transition Begin Created -> Paid\n//idem:transition End Paid -> Done\nSNIPPET\ntype Status string\n" + constants)
	// It is all of a machine of three states, or but the way to one of them.
	three = frame(head + "\nSNIPPET\ntype Status string\n" + constants)
	held  = frame(head + "\nSNIPPET\n//idem:transition Hold Created -> Held\n//idem:transition Settle Held -> Paid\ntype Status string\n\nconst (\n\tCreated Status = \"CREATED\"\n\tHeld    Status = \"HELD\"\n\tPaid    Status = \"PAID\"\n)\n")
	// It is a wildcard beside states that end.
	cancels = frame(head + "\n//idem:statemachine table=orders key=id column=status initial=Created final=Done,Failed,Cancelled\n//idem:transition Begin Created -> Paid\n//idem:transition End Paid -> Done\n//idem:transition Fail Paid -> Failed\nSNIPPET\ntype Status string\n\nconst (\n\tCreated Status = \"CREATED\"\n\tPaid Status = \"PAID\"\n\tDone Status = \"DONE\"\n\tFailed Status = \"FAILED\"\n\tCancelled Status = \"CANCELLED\"\n)\n")
)

// bodiless is a func without a body; it gets one.
var bodiless = regexp.MustCompile(`(?m)^func .*[^{}\s]$`)

func withBodies(text string) string {
	return bodiless.ReplaceAllStringFunc(text, func(line string) string {
		if strings.Contains(line, "{ ") {
			return line // it ends in a comment
		}
		return line + " { panic(0) }"
	})
}

func (f frame) around(snippet string) string {
	return withBodies(strings.Replace(string(f), "SNIPPET", snippet, 1))
}

// Frames of few codes.
const (
	// fires has a machine whose event Pay takes paidAt and tenant.
	fires = frame(head + `
//idem:statemachine table=orders key=id column=status initial=Created final=Paid params=paidAt:time.Time,tenant:int64
//idem:transition Pay Created -> Paid set="paid_at = :paidAt, tenant = :tenant"
type Status string

const (
	Created Status = "CREATED"
	Paid    Status = "PAID"
)

SNIPPET
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string, req *Request) error
`)
	// moves has one whose event takes nothing.
	moves = frame(head + `
//idem:statemachine table=orders key=id column=status initial=Created final=Paid
//idem:transition Pay Created -> Paid
type Status string

const (
	Created Status = "CREATED"
	Paid    Status = "PAID"
)

SNIPPET
`)
	movesPay = moves + "func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error\n"
	// values are more states of a machine.
	values = frame(head + "\n//idem:statemachine table=orders key=id column=status initial=Created final=Refunded\n//idem:transition Pay Created -> Paid\n//idem:transition Refund Paid -> Refunded\ntype Status string\n\nconst Created Status = \"CREATED\"\n\nSNIPPET\n")
	paid   = frame(head + "\n//idem:statemachine table=orders key=id column=status initial=Created final=Paid\n//idem:transition Pay Created -> Paid\ntype Status string\n\nconst Created Status = \"CREATED\"\n\nSNIPPET\n")
	// payments are the states of a second machine.
	payments = alone + payStates + "\nconst (\n\tOpen Payment = \"OPEN\"\n\tSettled Payment = \"SETTLED\"\n)\n"
	// updates are of a version, columns are its.
	updates = frame(head + "\n//idem:version table=accounts key=id column=version\nSNIPPET\ntype Account struct {\n\tID int64 `db:\"id\"`\n\tVersion int64 `db:\"version\"`\n\tOpen bool `db:\"open\"`\n\tStatus string `db:\"status\"`\n}\n")
	columns = frame(head + "\n//idem:version table=accounts key=id column=version\n//idem:update Close set=\"open = FALSE\"\ntype Account struct {\n\tID int64 `db:\"id\"`\n\tSNIPPET\n\tOpen bool `db:\"open\"`\n}\n")
	fields  = frame(head + "\n//idem:version table=accounts key=id column=version\n//idem:update Count set=n\ntype Account struct {\n\tID int64 `db:\"id\"`\n\tVersion int64 `db:\"version\"`\n\tSNIPPET\n}\n")
)

// without leaves a parameter of the event out.
func (f frame) without(param, typ string) frame {
	column := map[string]string{"tenant": "tenant", "paidAt": "paid_at"}[param]
	text := strings.NewReplacer(","+param+":"+typ, "", param+":"+typ+",", "", ", "+column+" = :"+param, "", column+" = :"+param+", ", "").Replace(string(f))
	return frame(text)
}

// frames are those of codes whose examples need other ones than their neighbours.
var frames = map[diag.Code]frame{
	"IDEM107": byLease,
	"IDEM116": "SNIPPET\n",
	"IDEM123": cancels,
	"IDEM207": "package x\n\nimport (\n\t\"database/sql\"\n\n\t_ \"example.com/shop/order\"\n)\n\nSNIPPET\nfunc Pay(tx *sql.Tx, id string) error\n",
	"IDEM213": inTx + "\nvar receiptCodec jsonCodec\n\ntype jsonCodec struct{}\n\nfunc (jsonCodec) Name() string\nfunc (jsonCodec) Encode(v any) ([]byte, error)\nfunc (jsonCodec) Decode(data []byte, v any) error\n",
	"IDEM304": moves,
	"IDEM305": byLease,
	"IDEM320": fires.without("tenant", "int64"),
	"IDEM321": fires.without("tenant", "int64"),
	"IDEM322": fires.without("paidAt", "time.Time"),
	"IDEM330": handler,
	"IDEM339": handler,
	"IDEM403": three,
	"IDEM404": three,
	"IDEM405": frame(head + "\nSNIPPET\ntype Status string\n" + endStates),
	"IDEM406": values,
	"IDEM407": paid,
	"IDEM408": alone,
	"IDEM409": alone + endStates,
	"IDEM410": movesPay,
	"IDEM411": movesPay,
	"IDEM412": alone + endStates,
	"IDEM413": alone + payStates,
	"IDEM416": alone,
	"IDEM417": moves,
	"IDEM449": held,
	"IDEM450": held,
	"IDEM454": payments,
	"IDEM455": payments,
	"IDEM473": updates,
	"IDEM474": columns,
	"IDEM476": fields,
	"IDEM477": updates,
	"IDEM479": updates,
	"IDEM503": alone + "\nconst (\n\tCreated OrderStatus = \"CREATED\"\n\tPaid OrderStatus = \"PAID\"\n\tPacked ParcelStatus = \"PACKED\"\n\tSent ParcelStatus = \"SENT\"\n)\n",
	"IDEM601": frame(head + "\n//idem:once key=id orphan=hold\nSNIPPET\n"),
	"IDEM633": alone + "\ntype FakeService struct{}\n",
}

// untried are the codes that no piece of source gets, and why.
var untried = map[diag.Code]string{
	diag.CodeLoad:        "the go command fails: internal/cli, errors of go list",
	diag.CodeNotOurs:     "of a file that is in the way when outputs are compared",
	diag.CodeWrite:       "of the file system",
	diag.CodeNoPackages:  "of the command line",
	diag.CodeStale:       "of the checked-in file",
	diag.CodeMissingFile: "of the checked-in file",
	diag.CodeOrphanFile:  "of the checked-in file",
	diag.CodeInternal:    "of a fault of the generator",
	diag.CodeOtherModule: "of the command line",
	diag.CodeRead:        "of the file system",
}

// frameOf is the frame of one of a code's examples.
func frameOf(i diag.Info, snippet string) frame {
	if f, ok := frames[i.Code]; ok {
		return f
	}
	switch {
	case strings.Contains(snippet, "func ") || strings.Contains(snippet, "type Account") || strings.Contains(snippet, "interface {"):
		return alone
	case strings.Contains(snippet, "type Status"):
		return alone + endStates
	case strings.Contains(snippet, "statemachine") && !strings.Contains(snippet, "//idem:transition"):
		return smaller
	case strings.Contains(snippet, "statemachine"):
		return small
	case strings.Contains(snippet, "//idem:transition"):
		return edges
	}
	return inTx
}

// described is the package that the examples of idem.yaml speak of.
const described = `package orders

type Service struct{}

func (s *Service) Pay(id string) error { return nil }

//idem:once key=id orphan=hold
func (s *Service) Refund(id string) error { return nil }
`

// order has machines that other packages fire.
const order = `package order

//idem:statemachine table=orders key=id column=status initial=made final=paid
//idem:transition Pay made -> paid
type status string

const (
	made status = "CREATED"
	paid status = "PAID"
)

//idem:statemachine table=parcels key=id column=status initial=Made final=Paid
//idem:transition Pay Made -> Paid
type Status string

const (
	Made Status = "CREATED"
	Paid Status = "PAID"
)
`

// pay is a package of another module, whose interface names what it does not export.
const pay = "package pay\n\ntype options struct{}\n\ntype Client interface{ Open(id string, o options) error }\n"

// example writes an example below a folder: an idem.yaml, several files, or Go code.
func example(t *testing.T, dir, folder string, i diag.Info, snippet string) {
	t.Helper()
	file := func(name, text string) { write(t, dir, txtar.File{Name: folder + "/" + name, Data: []byte(text)}) }
	several := txtar.Parse([]byte(withBodies(snippet) + "\n"))
	switch {
	case strings.HasPrefix(snippet, "version:") || strings.HasPrefix(snippet, "packages:"):
		file("orders/orders.go", described)
		file("orders/orders_test.go", "package orders\n\ntype FakeService struct{}\n\nfunc (s *FakeService) Pay(id string) error { return nil }\n")
		file("billing/billing.go", strings.Replace(described, "orders", "billing", 1))
		file("idem.yaml", snippet+"\n")
	case len(several.Files) > 0:
		for _, f := range several.Files {
			file(f.Name, string(f.Data))
		}
	default:
		file("x.go", frameOf(i, snippet).around(snippet))
	}
}

// TestExamplesOfCodes tries the examples that idemgen explain shows: the wrong one gets
// the code and no other, the right one is generated for.
func TestExamplesOfCodes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, txtar.File{Name: "go.mod", Data: []byte("module example.com/shop\n\ngo 1.26\n")})
	name := func(i diag.Info, side string) string { return strings.ToLower(string(i.Code)) + side }
	var tried []diag.Info
	for _, i := range diag.Codes() {
		if why := untried[i.Code]; (why == "") == (i.Wrong == "") && i.Code != diag.CodeSignature {
			if i.Wrong == "" {
				t.Errorf("%s has no example", i.Code)
			}
		}
		if i.Wrong == "" || untried[i.Code] != "" {
			continue
		}
		tried = append(tried, i)
		example(t, dir, name(i, "wrong"), i, i.Wrong)
		example(t, dir, name(i, "right"), i, i.Right)
	}
	write(t, dir, txtar.File{Name: "order/order.go", Data: []byte(order)},
		txtar.File{Name: "pay/pay.go", Data: []byte(pay)},
		txtar.File{Name: "pb/pb.go", Data: []byte("package pb\n")})
	res, diags := parse(t, dir)
	got, made := map[string][]diag.Diagnostic{}, map[string]bool{}
	for _, d := range diags {
		folder, _, _ := strings.Cut(filepath.ToSlash(d.Pos.File), "/")
		got[folder] = append(got[folder], d)
	}
	for _, p := range res.Packages {
		folder, _, _ := strings.Cut(strings.TrimPrefix(p.Path, "example.com/shop/"), "/")
		if !strings.HasSuffix(folder, "right") {
			continue
		}
		files, err := templates.Files(p)
		made[folder] = made[folder] || len(files) > 0
		if err != nil {
			t.Errorf("%s: %v", p.Path, err)
		}
	}
	for _, i := range tried {
		t.Run(string(i.Code), func(t *testing.T) {
			wrong, right := got[name(i, "wrong")], got[name(i, "right")]
			counts := func(d diag.Diagnostic) bool { return d.Code == i.Code || !d.Warning }
			wrong = slices.DeleteFunc(wrong, func(d diag.Diagnostic) bool { return !counts(d) })
			if len(wrong) == 0 || slices.ContainsFunc(wrong, func(d diag.Diagnostic) bool { return d.Code != i.Code }) {
				t.Errorf("the wrong example does not get the code, or another as well:\n%s\n%s", i.Wrong, diag.Text(wrong, ""))
			}
			if slices.ContainsFunc(right, counts) {
				t.Errorf("the right example is wrong:\n%s\n%s", i.Right, diag.Text(right, ""))
			}
			if !made[name(i, "right")] {
				t.Errorf("nothing is generated for the right example:\n%s", i.Right)
			}
		})
	}
}
