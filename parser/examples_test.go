package parser

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idemgen/idemgen/parser/diag"
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
	states = `
const (
	Created Status = "CREATED"
	Held    Status = "HELD"
	Paid    Status = "PAID"
	Done    Status = "DONE"
)
`
	// The example is what stands on a type with two states.
	small = frame(head + "\nSNIPPET\ntype Status string\n\nconst (\n\tCreated Status = \"CREATED\"\n\tPaid    Status = \"PAID\"\n)\n")
	// It is one more transition.
	edges = frame(head + "\n//idem:statemachine table=orders key=id column=status initial=Created final=Done unreachable=Held\n//idem:transition Begin Created -> Paid\n//idem:transition End Paid -> Done\nSNIPPET\ntype Status string\n" + states)
)

// func that ends without a body gets one; ellipses stand for what an example leaves out.
var (
	bodiless = regexp.MustCompile(`(?m)^(func .*[^{}\s])$`)
	cut      = regexp.MustCompile(`\(…$`)
)

func (f frame) around(snippet string) string {
	text := strings.Replace(string(f), "SNIPPET", snippet, 1)
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = cut.ReplaceAllString(line, "(ctx context.Context, tx *sql.Tx, orderID, a, b, id string) error")
		line = strings.ReplaceAll(line, "(…)", "(ctx context.Context, tx *sql.Tx, orderID string)")
		lines = append(lines, line)
	}
	return bodiless.ReplaceAllString(strings.Join(lines, "\n"), "$1 { panic(0) }")
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
	// three are the states of most examples.
	three     = frame(head + "\nSNIPPET\ntype Status string\n" + threeStates)
	threeEdge = frame(head + "\n//idem:statemachine table=orders key=id column=status initial=Created final=Done\n//idem:transition Begin Created -> Paid\n//idem:transition End Paid -> Done\nSNIPPET\ntype Status string\n" + threeStates)

	threeStates = "\nconst (\n\tCreated Status = \"CREATED\"\n\tPaid    Status = \"PAID\"\n\tDone    Status = \"DONE\"\n\tRetail         = \"RETAIL\"\n)\n"
	// values are more states of a machine.
	values = frame(head + "\n//idem:statemachine table=orders key=id column=status initial=Created final=Paid\n//idem:transition Pay Created -> Paid\ntype Status string\n\nconst Created Status = \"CREATED\"\n\nSNIPPET\n")
	// payments are the states of a second machine.
	payments = alone + threeStates + "\nconst (\n\tOpen Payment = \"OPEN\"\n\tSettled Payment = \"SETTLED\"\n)\n"
	// updates are of a version, columns are its.
	updates = frame(head + "\n//idem:version table=accounts key=id column=version\nSNIPPET\ntype Account struct {\n\tID int64 `db:\"id\"`\n\tVersion int64 `db:\"version\"`\n\tOpen bool `db:\"open\"`\n\tStatus string `db:\"status\"`\n}\n")
	columns = frame(head + "\n//idem:version table=accounts key=id column=version\n//idem:update Close set=\"open = FALSE\"\ntype Account struct {\n\tID int64 `db:\"id\"`\n\tSNIPPET\n\tOpen bool `db:\"open\"`\n}\n")
	fields  = frame(head + "\n//idem:version table=accounts key=id column=version\n//idem:update Count set=n\ntype Account struct {\n\tID int64 `db:\"id\"`\n\tVersion int64 `db:\"version\"`\n\tSNIPPET\n}\n")
)

// frames are those of codes whose examples need other ones than their neighbours; ""
// where an example is none of Go code.
var frames = map[diag.Code]frame{
	"IDEM116": "SNIPPET\n",
	"IDEM207": "package x\n\nimport (\n\t\"database/sql\"\n\n\t_ \"example.com/shop/order\"\n)\n\nSNIPPET\nfunc Pay(tx *sql.Tx, id string) error\n",
	"IDEM213": inTx + "\nvar receiptCodec jsonCodec\n\ntype jsonCodec struct{}\n\nfunc (jsonCodec) Name() string\nfunc (jsonCodec) Encode(v any) ([]byte, error)\nfunc (jsonCodec) Decode(data []byte, v any) error\n",
	"IDEM305": byLease, "IDEM330": handler, "IDEM339": handler,
	"IDEM320": frame(strings.NewReplacer(",tenant:int64", "", ", tenant = :tenant", "").Replace(string(fires))), "IDEM321": fires, "IDEM322": fires,
	"IDEM304": moves, "IDEM410": movesPay, "IDEM411": movesPay, "IDEM417": moves,
	"IDEM403": three, "IDEM404": three, "IDEM405": three, "IDEM441": three, "IDEM414": threeEdge, "IDEM419": threeEdge,
	"IDEM406": values, "IDEM407": values, "IDEM408": alone, "IDEM413": alone + threeStates, "IDEM416": alone, "IDEM454": payments, "IDEM455": payments, "IDEM601": frame(head + "\n//idem:once key=id orphan=hold\nSNIPPET\n"),
	"IDEM473": updates, "IDEM477": updates, "IDEM479": updates, "IDEM474": columns, "IDEM476": fields,
	"IDEM503": alone + "\nconst (\n\tCreated OrderStatus = \"CREATED\"\n\tPaid OrderStatus = \"PAID\"\n\tPacked ParcelStatus = \"PACKED\"\n\tSent ParcelStatus = \"SENT\"\n)\n",
	// Of files, of the command line, of several files.
	"IDEM602": "", "IDEM603": "", "IDEM604": "", "IDEM605": "", "IDEM606": "", "IDEM607": "", "IDEM608": "", "IDEM609": "",
	"IDEM610": "", "IDEM611": "", "IDEM612": "", "IDEM613": "", "IDEM634": "",
}

// frameOf is the frame of a code's examples.
func frameOf(i diag.Info) frame {
	if f, ok := frames[i.Code]; ok {
		return f
	}
	switch {
	case strings.Contains(i.Wrong, "func ") || strings.Contains(i.Wrong, "type Account"):
		return alone
	case strings.Contains(i.Wrong, "type Status"):
		return alone + states
	case strings.Contains(i.Wrong, "statemachine"):
		return small
	case strings.Contains(i.Wrong, "//idem:transition"):
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

// example writes an example below a folder.
func example(t *testing.T, dir, folder string, i diag.Info, snippet string) {
	t.Helper()
	if !strings.HasPrefix(i.Wrong, "version:") && i.Code != "IDEM625" {
		write(t, dir, txtar.File{Name: folder + "/x.go", Data: []byte(frameOf(i).around(snippet))})
		return
	}
	write(t, dir,
		txtar.File{Name: folder + "/orders/orders.go", Data: []byte(described)},
		txtar.File{Name: folder + "/orders/orders_test.go", Data: []byte("package orders\n\ntype FakeService struct{}\n\nfunc (s *FakeService) Pay(id string) error { return nil }\n")})
	if strings.HasPrefix(snippet, "//idem:") {
		return // the right way is none of YAML
	}
	write(t, dir, txtar.File{Name: folder + "/idem.yaml", Data: []byte(snippet + "\n")})
}

// TestExamplesOfCodes tries the examples that idemgen explain shows: the wrong one gets
// the code, the right one gets no error at all.
func TestExamplesOfCodes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, txtar.File{Name: "go.mod", Data: []byte("module example.com/shop\n\ngo 1.26\n")})
	name := func(i diag.Info, side string) string { return strings.ToLower(string(i.Code)) + side }
	var tried []diag.Info
	for _, i := range diag.Codes() {
		if i.Wrong == "" || frameOf(i) == "" {
			continue
		}
		tried = append(tried, i)
		example(t, dir, name(i, "wrong"), i, i.Wrong)
		example(t, dir, name(i, "right"), i, i.Right)
	}
	write(t, dir, txtar.File{Name: "order/order.go", Data: []byte(order)},
		txtar.File{Name: "pb/pb.go", Data: []byte("package pb\n")})
	_, diags := parse(t, dir)
	got := map[string][]diag.Diagnostic{}
	for _, d := range diags {
		folder, _, _ := strings.Cut(filepath.ToSlash(d.Pos.File), "/")
		got[folder] = append(got[folder], d)
	}
	for _, i := range tried {
		t.Run(string(i.Code), func(t *testing.T) {
			wrong, right := got[name(i, "wrong")], got[name(i, "right")]
			if !slices.ContainsFunc(wrong, func(d diag.Diagnostic) bool { return d.Code == i.Code }) ||
				i.Code > "IDEM200" && slices.ContainsFunc(wrong, func(d diag.Diagnostic) bool { return d.Code < "IDEM200" }) {
				t.Errorf("the wrong example does not get it:\n%s\n%s", i.Wrong, diag.Text(wrong, ""))
			}
			// What else an example lacks, its frame may lack, too; but it reads as it stands.
			if slices.ContainsFunc(right, func(d diag.Diagnostic) bool { return d.Code == i.Code || d.Code < "IDEM200" }) {
				t.Errorf("the right example is wrong:\n%s\n%s", i.Right, diag.Text(right, ""))
			}
		})
	}
}
